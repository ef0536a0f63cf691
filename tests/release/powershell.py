"""Prints where PowerShell scripts do not parse, and ends with 1 if there is such a place. Run by the tool `powershell-parser`."""

import sys

import tree_sitter
import tree_sitter_powershell


def errors(node):
    """The innermost nodes that the parser had to skip or to make up."""
    inside = [error for child in node.children for error in errors(child)]
    return inside or ([node] if node.type == "ERROR" or node.is_missing else [])


parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
status = 0
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        text = file.read()
    for node in errors(parser.parse(text).root_node):
        line, column = node.start_point
        print(f"{path}:{line + 1}:{column + 1}: does not parse: {node.text[:60].decode(errors='replace')}")
        status = 1
sys.exit(status)
