# Checks a built pintle.exe on Windows and prints a block for an issue: runs check.sh in the bash of Git for Windows, which commands require.
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
$shell = [regex]::Match($doctor, "(?m)^\s+shell (.+?), variables").Groups[1].Value
if ($shell -eq "" -or -not (Test-Path $shell)) {
    Write-Error "no Git for Windows was found (pintle doctor: shell ``$shell``): install it from https://gitforwindows.org"
}
& $shell ((Join-Path $PSScriptRoot "check.sh") -replace "\\", "/") ($Program -replace "\\", "/")
exit $LASTEXITCODE
