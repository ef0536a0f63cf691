import policy
import web

HANDLERS = {}


def handler(function):
    HANDLERS[function.__name__] = function
    return function


@handler
def upload(path):
    with open(path, "rb") as file:
        return policy.current().check(path, file.read())


@handler
def upload_web(path):
    return web.accept_upload(path)
