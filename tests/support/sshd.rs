//! An ssh server for tests.

use crate::waiting::until;
use std::path::Path;

/// An ssh server on a loopback port, with its own keys. Dropping it stops it.
#[derive(Debug)]
pub struct Sshd {
    /// The folder that holds its keys and configuration.
    pub folder: tempfile::TempDir,
    child: std::process::Child,
    port: u16,
}

impl Sshd {
    /// Starts a server; `None` if sshd is not installed, which is reported as a skipped test.
    pub fn start() -> Option<Self> {
        let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]
            .into_iter()
            .find(|path| Path::new(path).exists());
        let Some(program) = program else {
            crate::skipped("no sshd here; install openssh-server");
            return None;
        };
        if nix::unistd::geteuid().is_root() {
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        for key in ["host", "user"] {
            let mut keygen = std::process::Command::new("ssh-keygen");
            assert!(
                keygen
                    .args(["-q", "-t", "ed25519", "-N", "", "-f", &at(key)])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        std::fs::copy(at("user.pub"), at("authorized")).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\n\
             PidFile none\nPermitRootLogin prohibit-password\nPasswordAuthentication no\nSetEnv HOME={}\n",
            at("host"),
            at("authorized"),
            // Keep the start files of the user's shell out of the test.
            at("home")
        );
        std::fs::create_dir(at("home")).unwrap();
        std::fs::write(at("config"), config).unwrap();
        let mut command = std::process::Command::new(program);
        let child =
            command.args(["-D", "-e", "-f", &at("config")]).stderr(std::process::Stdio::null());
        let child = child.spawn().unwrap();
        until(|| std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Self { folder, child, port })
    }

    /// Returns the `ssh` command that runs what follows it on this server.
    pub fn prefix(&self) -> Vec<String> {
        let key = self.folder.path().join("user").display().to_string();
        let (key, port) = (format!("IdentityFile={key}"), self.port.to_string());
        let options = [
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "IdentitiesOnly=yes",
            "BatchMode=yes",
            "LogLevel=ERROR",
            &key,
        ];
        let mut prefix = ["ssh", "-F", "none", "-p", &port].map(str::to_owned).to_vec();
        for option in options {
            prefix.extend(["-o".to_owned(), option.to_owned()]);
        }
        prefix.push("127.0.0.1".to_owned());
        prefix
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
