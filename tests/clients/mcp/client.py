"""The protocol's own Python SDK as a client of `pintle mcp`: each version of the protocol, a person who agrees and one who does not."""

import asyncio
import os
import sys
import tempfile

import mcp.types as types
from mcp import Client, StdioServerParameters

SCRIPT = """{"replies": [
  {"blocks": [{"tool": "write", "arguments": {"path": "made.txt", "content": "made\\n"}}]},
  {"blocks": [{"text": "It is made."}]},
  {"blocks": [{"text": "And again."}]}
]}"""


async def task(mode: str, choice: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = os.path.join(folder, "project")
        os.mkdir(project)
        script = os.path.join(folder, "script.json")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        env = {**os.environ, "PINTLE_HOME": os.path.join(folder, "home")}
        server = StdioServerParameters(command=os.environ["PINTLE_BIN"], args=["mcp", "--script", script], env=env, cwd=project)
        asked, told = [], []

        async def ask(_context, params):
            asked.append(params.message)
            return types.ElicitResult(action="accept", content={"choice": choice})

        async def progress(_progress, _total, message):
            told.append(message)

        async with Client(server, mode=mode, elicitation_callback=ask) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names[0] == "start_task", names
            result = await client.call_tool("start_task", {"prompt": "make it"}, progress_callback=progress)
            text = result.content[0].text
            assert text.startswith("It is made."), text
            assert len(asked) == 1 and "Allow write: made.txt?" in asked[0], asked
            made = os.path.exists(os.path.join(project, "made.txt"))
            assert made == (choice == "Allow"), text
            session = result.structured_content["sessionId"]
            patch = await client.call_tool("task_patch", {"session": session})
            assert ("+made" in patch.content[0].text) == made, patch
            again = await client.call_tool("start_task", {"prompt": "again", "session": session})
            assert again.content[0].text.startswith("And again."), again
            if made:
                assert told and told[0] == "> write: made.txt", told
        print(f"{mode}, {choice}: fine")


for mode in sys.argv[1:]:
    for choice in ["Allow", "Deny"]:
        asyncio.run(asyncio.wait_for(task(mode, choice), 60))
