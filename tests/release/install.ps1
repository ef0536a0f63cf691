# Installs pintle @VERSION@ for the current user:
#
#   irm @DOWNLOADS@/install.ps1 | iex
#
# PINTLE_INSTALL_DIR   the folder for the program; by default %LOCALAPPDATA%\Programs\pintle
# PINTLE_DOWNLOADS     another place with the files of this release. Their checksums are part of this script.
#
# The folder is added to the user's PATH. To uninstall, remove the folder and that entry.
& {
    $ErrorActionPreference = 'Stop'
    $version = '@VERSION@'
    $system = 'x86_64-pc-windows-gnu'
    $wanted = '@CHECKSUM@'
    $downloads = if ($env:PINTLE_DOWNLOADS) { $env:PINTLE_DOWNLOADS } else { '@DOWNLOADS@' }
    $folder = if ($env:PINTLE_INSTALL_DIR) { $env:PINTLE_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\pintle' }

    if (-not [Environment]::Is64BitOperatingSystem) { throw 'install.ps1: there is no program for 32-bit Windows; build from source' }
    # Windows PowerShell offers older protocols first.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

    $work = Join-Path ([IO.Path]::GetTempPath()) ("pintle-" + [Guid]::NewGuid())
    New-Item -ItemType Directory -Path $work | Out-Null
    try {
        $archive = "pintle-$version-$system.zip"
        Write-Host "downloading $downloads/$archive"
        $file = Join-Path $work $archive
        # Its progress bar makes Windows PowerShell download many times slower.
        $ProgressPreference = 'SilentlyContinue'
        Invoke-WebRequest -UseBasicParsing -Uri "$downloads/$archive" -OutFile $file
        $found = (Get-FileHash -Algorithm SHA256 -Path $file).Hash.ToLowerInvariant()
        if ($found -ne $wanted) {
            throw "install.ps1: the checksum of $archive is $found instead of ${wanted}: the download is damaged or not the release"
        }
        Expand-Archive -Path $file -DestinationPath $work
        $unpacked = Join-Path $work "pintle-$version-$system"
        & (Join-Path $unpacked 'pintle.exe') --version | Out-Null
        if ($LASTEXITCODE -ne 0) { throw 'install.ps1: the program does not run on this system; nothing was installed' }

        New-Item -ItemType Directory -Force -Path $folder | Out-Null
        $program = Join-Path $folder 'pintle.exe'
        # A running program cannot be replaced, but renamed.
        Get-ChildItem -Path $folder -Filter 'pintle.exe.old-*' | Remove-Item -Force -ErrorAction SilentlyContinue
        if (Test-Path $program) { Move-Item -Force -Path $program -Destination "$program.old-$([Guid]::NewGuid())" }
        Copy-Item -Recurse -Force -Path (Join-Path $unpacked '*') -Destination $folder
    }
    finally {
        Remove-Item -Recurse -Force -Path $work
    }

    $path = [Environment]::GetEnvironmentVariable('Path', 'User')
    if (($path -split ';') -notcontains $folder) {
        [Environment]::SetEnvironmentVariable('Path', (@($path -split ';' | Where-Object { $_ }) + $folder) -join ';', 'User')
        $env:Path = "$env:Path;$folder"
    }
    Write-Host "installed pintle $version in $folder"
    Write-Host 'next: pintle doctor'
}
