import limits


def accept_upload(path):
    """Decides whether an upload of the web is accepted."""
    return len(path) < limits.LARGE
