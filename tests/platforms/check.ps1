# Checks a built pintle.exe on Windows and prints a block for an issue: runs check.sh in the bash of Git for Windows, and a command in each
# PowerShell of this machine.
#
#   check.ps1 [PROGRAM]   the program is `pintle.exe` from the path unless it is named
param([string]$Program = "")
$ErrorActionPreference = "Stop"

if ($Program -eq "") {
    $found = Get-Command pintle.exe -ErrorAction SilentlyContinue
    if ($null -eq $found) {
        Write-Error "no pintle.exe on the path: build it with cargo build --release, and name it"
    }
    $Program = $found.Source
}
$Program = (Resolve-Path $Program).Path

# As pintle finds it: never the bash of WSL in System32, nor the store's.
$doctor = & $Program doctor | Out-String
$shell = [regex]::Match($doctor, "(?m)^\s+shell (.+?)( \(.*\))?, variables").Groups[1].Value
if ($shell -notlike "*bash.exe" -or -not (Test-Path $shell)) {
    Write-Error "no Git for Windows was found (pintle doctor: shell ``$shell``): install it from https://gitforwindows.org"
}
& $shell ((Join-Path $PSScriptRoot "check.sh") -replace "\\", "/") ($Program -replace "\\", "/")
$failed = $LASTEXITCODE -ne 0

# Without Git, commands run in PowerShell.
$folder = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
$null = New-Item -ItemType Directory $folder
$env:PINTLE_HOME = $folder
$calls = Join-Path $folder "calls.json"
$utf8 = New-Object Text.UTF8Encoding $false
$umlaut = [char]0xfc
$command = "Write-Output 'f${umlaut}r'; cmd /c exit 3"
$reply = @{ replies = @(@{ blocks = @(@{ tool = "bash"; arguments = @{ command = $command } }) }, @{ blocks = @(@{ text = "done" }) }) }
[IO.File]::WriteAllText($calls, ($reply | ConvertTo-Json -Depth 8), $utf8)
Write-Output '```text'
foreach ($name in "pwsh.exe", "powershell.exe") {
    $found = Get-Command $name -ErrorAction SilentlyContinue
    if ($null -eq $found) { Write-Output "${name}: not found"; continue }
    $path = $found.Source -replace "\\", "/"
    [IO.File]::WriteAllText((Join-Path $folder "config.toml"), "[environment]`nshell = `"$path`"`n", $utf8)
    $events = Join-Path $folder "events"
    & $Program run --permission full --script $calls --format events go > $events
    # Windows PowerShell writes redirected output in UTF-16, and reads it with its mark.
    $text = Get-Content $events -Raw
    $is_right = $text -match "`"exitCode`":3" -and $text -match "f.{1,2}r\\n"
    Write-Output "${name}: $(if ($is_right) { 'ok' } else { 'FAILED'; $failed = $true })"
    if (-not $is_right) { Write-Output $text }
}
Write-Output '```'
Remove-Item -Recurse $folder
exit [int]$failed
