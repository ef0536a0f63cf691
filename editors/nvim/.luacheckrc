std = "luajit"
read_globals = { "vim" }
globals = { "vim.g", "vim.go", "vim.b", "vim.bo", "vim.wo", "vim.w", "vim.t", "vim.o", "vim.v", "vim.ui", "vim.notify", "vim.paste" }
max_line_length = 130
exclude_files = { "lua/pintle/protocol.lua", "tests/types" }
self = false
files["tests"] = { max_line_length = 150, globals = { "test", "equal", "contains", "golden", "golden_screen", "say", "golden_grid", "seed" } }
