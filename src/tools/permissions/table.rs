//! The files that need care, by class: [`SECRETS`], which are never read without asking, and [`OBEYED`], whose content other programs act
//! on.
//!
//! This is the only such list. `places` uses it for a path's meaning, the sandbox for the names that confined commands can neither read nor
//! change.
//!
//! # Patterns
//!
//! | pattern | matches |
//! |---|---|
//! | `.envrc` | a file or directory of this name, in any directory |
//! | `.github/workflows/` | a directory, in any directory, with everything in it |
//! | `.cargo/config.toml` | a path of several parts, in any directory |
//! | `~/.ssh/` | below a home directory: the user's own, `/root`, and those in `/home` and `/Users` |
//! | `/etc/shadow` | exactly this path |
//! | `*.pem` | `*` is any text within a name |
//! | `!*.pub` | an exception: its row does not cover matching paths |
//!
//! A pattern that ends with `/` covers everything below. Letters are compared case-insensitively, as some file systems do. A row cites its
//! tool's documentation; paths are those of the tool's default settings.
//!
//! # What is not in the table
//!
//! The sources of a build (`Makefile`, `package.json`, `Cargo.toml`, `build.rs`, `justfile`, test and bundler configuration) run only when
//! a user builds, and changing them is an agent's normal task. `OBEYED` has the files that act without being asked: when a directory is
//! opened or entered, on a save, on a commit, by a CI service, or for every run of a tool.

/// Files of one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// A description for the user.
    pub(super) what: &'static str,
    /// The tool, and the documentation that states the paths.
    #[cfg_attr(not(test), expect(dead_code, reason = "for maintainers of the table"))]
    pub(super) source: &'static str,
    pub(super) patterns: &'static [&'static str],
}

const fn row(what: &'static str, source: &'static str, patterns: &'static [&'static str]) -> Row {
    Row { what, source, patterns }
}

/// The meaning of `.env` and its like, which `full` mode treats as ordinary files.
pub(super) const VARIABLES: &str = "variables with keys";

/// Files that contain keys, passwords and tokens.
#[rustfmt::skip]
pub(super) const SECRETS: &[Row] = &[
    // Keys, wherever they are.
    row("a private key", "OpenSSH: man.openbsd.org/ssh-keygen; man.openbsd.org/sshd_config (HostKey)", &[
        "id_*", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*", "*_rsa", "*_dsa", "*_ecdsa", "*_ed25519", "ssh_host_*_key",
        "!id_*.*", "!*.pub",
    ]),
    row("a private key", "OpenSSH copies, such as id_rsa.bak", &["id_rsa.*", "id_dsa.*", "id_ecdsa.*", "id_ed25519.*", "!*.pub"]),
    row("a private key", "PEM and PKCS: RFC 7468, RFC 7292; docs.openssl.org/master/man1/openssl-pkcs12", &[
        "*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.pk8", "*.pkcs12",
        // Public certificates.
        "!cacert.pem", "!ca.pem", "!ca-*.pem", "!cert.pem", "!chain.pem", "!fullchain.pem", "!*public*", "!*.pub.pem", "!*.pub.key",
        "!*certs/*.pem", "!/etc/ssl/cert.pem", "!/etc/ssl/certs/", "!/usr/share/", "!/usr/lib/ssl/",
    ]),
    row("a private key", "PuTTY: the.earth.li/~sgtatham/putty/latest/htmldoc/Chapter8.html", &["*.ppk"]),
    row("a keystore", "Java: docs.oracle.com/en/java/javase/21/docs/specs/man/keytool; Android signing", &["*.jks", "*.keystore", "*.bks", "!/usr/", "!/etc/"]),
    row("a password database", "KeePass: keepass.info/help/base/repair.html; keepassxc.org/docs", &["*.kdbx", "*.kdb", "*.keyx"]),
    row("a private key", "Apple: developer.apple.com/help/account (signing requests, API keys)", &["AuthKey_*.p8"]),
    row("a Google Cloud key file", "cloud.google.com/iam/docs/keys-create-delete; developers.google.com/identity/protocols/oauth2", &[
        "service-account*.json", "service_account*.json", "*-firebase-adminsdk-*.json", "credentials.json", "serviceAccountKey*.json", "client_secret*.json", "gha-creds-*.json", "application_default_credentials.json",
    ]),
    row("a VPN's keys", "OpenVPN: openvpn.net/community-resources/reference-manual (inline keys)", &["*.ovpn"]),
    row("passwords", "Apache: httpd.apache.org/docs/2.4/programs/htpasswd.html", &[".htpasswd"]),

    // Variables with keys.
    row(VARIABLES, "dotenv: github.com/motdotla/dotenv (.env.local, .env.NAME; .env.example is the one to share)", &[
        ".env", ".env.*", ".env-*", ".env_*", "*.env",
        "!.env.example*", "!.env.template*", "!.env.sample*", "!.env.*.example", "!.env.*.template", "!.env.*.sample", "!.env-example", "!.env-template",
        "!.env-sample", "!.env_example", "!.env_template", "!.env_sample", "!example.env", "!template.env", "!sample.env", "!*.example.env",
        "!*.template.env", "!*.sample.env", "!.env.d.ts",
    ]),
    row(VARIABLES, "Docker Compose: docs.docker.com/compose/how-tos/use-secrets; Wrangler: developers.cloudflare.com/workers/configuration/secrets", &[".dev.vars", ".dev.vars.*", "!*.example"]),
    row("an app's secrets", "Streamlit: docs.streamlit.io/develop/api-reference/connections/secrets.toml", &[".streamlit/secrets.toml"]),
    row("an app's secrets", "act: nektosact.com/usage (--secret-file)", &[".secrets", ".secrets/"]),

    // AI tools.
    row("another agent's credentials", "Claude Code: code.claude.com/docs/en/authentication", &["~/.claude/.credentials.json", "~/.claude.json", "~/.claude.json.*", "~/.claude/.claude.json"]),
    row("another agent's credentials", "Codex: developers.openai.com/codex/auth", &["~/.codex/auth.json", ".codex/auth.json"]),
    row("another agent's credentials", "Gemini CLI: github.com/google-gemini/gemini-cli/pull/1122", &[
        "~/.gemini/oauth_creds.json", "~/.gemini/google_accounts.json", "~/.gemini/mcp-oauth-tokens*.json", "~/.gemini/gemini-credentials.json", "~/.gemini/.env",
        "~/.gemini/antigravity*/",
    ]),
    row("another agent's credentials", "Qwen Code: qwenlm.github.io/qwen-code-docs", &["~/.qwen/oauth_creds.json", "~/.qwen/mcp-oauth-tokens*.json", "~/.qwen/.env"]),
    row("another agent's credentials", "Pi: github.com/earendil-works/pi/issues/9195", &["~/.pi/agent/auth.json"]),
    row("another agent's credentials", "opencode: opencode.ai/docs/providers; opencode.ai/docs/mcp-servers", &["~/.local/share/opencode/auth.json", "~/.local/share/opencode/mcp-auth.json"]),
    row("another agent's credentials", "GitHub Copilot: docs.github.com/copilot (apps.json, hosts.json of its editors and its CLI)", &["~/.config/github-copilot/", "~/.copilot/"]),
    row("another agent's credentials", "Crush: github.com/charmbracelet/crush", &["~/.local/share/crush/crush.json", "~/.config/crush/crush.json"]),
    row("another agent's credentials", "Cursor: cursor.com/docs/cli/reference/authentication", &["~/.cursor/mcp.json", "~/.config/cursor/auth.json", "~/.config/Cursor/", "~/Library/Application Support/Cursor/"]),
    row("another agent's credentials", "Windsurf: docs.windsurf.com/windsurf/cascade/mcp", &["~/.codeium/", "~/.config/Windsurf/", "~/Library/Application Support/Windsurf/"]),
    row("another agent's credentials", "Amazon Q and Kiro: docs.aws.amazon.com/amazonq/latest/qdeveloper-ug; kiro.dev/docs/cli", &[
        "~/.local/share/amazon-q/", "~/.local/share/kiro-cli/", "~/.aws/amazonq/", "~/.kiro/", "~/Library/Application Support/amazon-q/", "~/Library/Application Support/kiro-cli/",
    ]),
    row("another agent's credentials", "Amp: ampcode.com/manual", &["~/.local/share/amp/secrets.json", "~/.config/amp/settings.json"]),
    row("another agent's credentials", "Continue: docs.continue.dev/reference", &["~/.continue/"]),
    row("another agent's credentials", "Goose: block.github.io/goose/docs/guides/config-file", &["~/.config/goose/secrets.yaml", "~/.config/goose/config.yaml", "~/.local/share/goose/"]),
    row("another agent's credentials", "aider: aider.chat/docs/config/dotenv.html; aider.chat/docs/config/aider_conf.html", &["~/.aider.conf.yml", "~/.aider/"]),
    row("another agent's credentials", "Cline, Roo Code and Kilo Code: docs.cline.bot/cline-cli", &["~/.cline/", "~/.roo/", "~/.kilocode/"]),
    row("another agent's credentials", "OpenHands: docs.openhands.dev", &["~/.openhands/"]),
    row("another agent's credentials", "Droid (docs.factory.ai/cli), Auggie (docs.augmentcode.com/cli), Junie, Grok CLI, Kimi CLI, iFlow", &[
        "~/.factory/auth.*", "~/.factory/config.json", "~/.factory/settings.json", "~/.augment/session.json", "~/.junie/", "~/.grok/user-settings.json",
        "~/.kimi/", "~/.iflow/oauth_creds.json", "~/.iflow/settings.json", "~/.vibe/.env", "~/.trae/",
    ]),
    row("another agent's credentials", "mcp-remote: github.com/geelen/mcp-remote (OAuth tokens of MCP servers)", &["~/.mcp-auth/"]),
    row("AI provider keys", "NVIDIA NGC (docs.ngc.nvidia.com/cli), ClearML (clear.ml/docs), Comet (comet.com/docs), MLflow (mlflow.org/docs), DVC (dvc.org/doc/user-guide/project-structure/configuration)", &[
        "~/.ngc/", "~/.config/ngc/", "clearml.conf", ".clearml.conf", ".comet.config", "~/.mlflow/credentials", "~/.config/dvc/",
    ]),
    row("AI provider keys", "llm: llm.datasette.io/en/stable/setup.html", &["~/.config/io.datasette.llm/keys.json", "~/Library/Application Support/io.datasette.llm/keys.json"]),
    row("AI provider keys", "Hugging Face: huggingface.co/docs/huggingface_hub/package_reference/environment_variables (HF_TOKEN_PATH)", &[
        "~/.cache/huggingface/token", "~/.cache/huggingface/stored_tokens", "~/.huggingface/",
    ]),
    row("AI provider keys", "Lambda (docs.lambda.ai), Vast.ai (docs.vast.ai/cli), RunPod (docs.runpod.io/runpodctl), Replicate, Together, LM Studio: their CLIs", &[
        "~/.lambda_cloud/", "~/.vast_api_key", "~/.config/vastai/", "~/.runpod/", "~/.replicate/", "~/.together/", "~/.lmstudio/.internal/",
    ]),
    row("another agent's history", "Claude Code (code.claude.com/docs/en/data-usage), Codex (developers.openai.com/codex/config), Gemini CLI, opencode: prompts and results, including pasted and printed text", &[
        "~/.claude/history.jsonl", "~/.claude/projects/", "~/.codex/history.jsonl", "~/.codex/sessions/", "~/.gemini/tmp/", "~/.local/share/opencode/storage/",
    ]),
    row("AI provider keys", "OpenAI, Anthropic, Ollama, Replicate, Weights & Biases (netrc), Kaggle, Modal, Together: their CLIs", &[
        "~/.openai/", "~/.config/openai/", "~/.anthropic/", "~/.config/anthropic/", "~/.ollama/id_ed25519", "~/.config/replicate/", "~/.config/wandb/", "~/.kaggle/",
        "~/.config/kaggle/", "~/.modal.toml", "~/.config/aichat/", "~/.config/mods/", "~/.config/shell_gpt/",
        "~/.config/fabric/.env",
    ]),

    // Clouds and hosting providers.
    row("AWS credentials", "docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html; docs.aws.amazon.com/cdk; saml2aws, aws-vault", &["~/.aws/", ".boto", ".s3cfg", ".aws/credentials", "~/.saml2aws", "~/.awsvault/", "~/.passwd-s3fs", "rootkey*.csv", "*accessKeys*.csv", "credentials.csv"]),
    row("Azure credentials", "learn.microsoft.com/cli/azure/azure-cli-configuration; azd", &["~/.azure/", "~/.azd/"]),
    row("Google Cloud credentials", "cloud.google.com/sdk/docs/configurations; firebase.google.com/docs/cli; clasp", &["~/.config/gcloud/", "~/.gsutil/", "~/.config/configstore/", "~/.clasprc.json", "~/.config/gspread/"]),
    row("a cloud's credentials", "Backblaze B2 (b2-command-line-tool.readthedocs.io), MEGAcmd, onedrive (github.com/abraunegg/onedrive), Koyeb (koyeb.com/docs/build-and-deploy/cli), Steampipe (steampipe.io/docs)", &[
        "~/.b2_account_info", "~/.config/b2/", "~/.megaCmd/", "~/.config/onedrive/", "~/.koyeb.yaml", "~/.steampipe/config/",
    ]),
    row("a cloud's credentials", "MinIO (min.io/docs/minio/linux/reference/minio-mc.html), rclone (rclone.org/docs), DVC (dvc.org/doc/user-guide/project-structure/configuration)", &["~/.mc/config.json", "~/.mcli/config.json", "rclone.conf", ".dvc/config.local"]),
    row("an app's secrets", "Azure Functions: learn.microsoft.com/azure/azure-functions/functions-develop-local (local.settings.json)", &["local.settings.json"]),
    row("an app's secrets", "Home Assistant (home-assistant.io/docs/configuration/secrets), ESPHome, Rails (guides.rubyonrails.org), .NET (secrets.json)", &["secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml"]),
    row("app signing keys", "Android (developer.android.com/studio/publish/app-signing), Flutter (docs.flutter.dev/deployment/android)", &["keystore.properties", "key.properties"]),
    row("a cloud's credentials", "Oracle (docs.oracle.com/iaas/Content/API/Concepts/sdkconfig.htm), IBM, Alibaba, Tencent, Yandex", &["~/.oci/", "~/.bluemix/", "~/.aliyun/", "~/.tccli/", "~/.config/yandex-cloud/", "~/.qcloudcli/"]),
    row("a cloud's credentials", "DigitalOcean, Hetzner, Linode, Vultr, Scaleway, OVH, Exoscale, UpCloud, Civo: their CLIs", &[
        "~/.config/doctl/", "~/.config/hcloud/", "~/.config/linode-cli", "~/.vultr-cli.yaml", "~/.config/scw/", "~/.ovh.conf", "~/.config/exoscale/", "~/.config/upctl.yaml", "~/.civo.json",
        "~/Library/Application Support/doctl/",
    ]),
    row("a cloud's credentials", "OpenStack: docs.openstack.org/openstacksdk/latest/user/config/configuration.html", &["~/.config/openstack/", "clouds.yaml", "secure.yaml"]),
    row("a hosting provider's credentials", "Heroku (netrc), Fly, Vercel, Netlify, Cloudflare, Railway, Render, Supabase, Deno Deploy, Surge: their CLIs", &[
        "~/.local/share/heroku/", "~/.vercel/", "~/.local/share/com.vercel.cli/", "~/.fly/config.yml", "~/.railway/config.json", "~/.config/netlify/", "~/.netlify/", "~/.render/", "~/.config/twilio-cli/", "~/.config/.wrangler/", "~/.wrangler/", "~/.cloudflared/",
        "~/.supabase/", "~/.config/supabase/", "~/.deno/credentials.json", "~/.config/ngrok/", "~/.ngrok2/", "~/.config/turso/", "~/.config/neonctl/",
        "~/.config/planetscale/", "~/.stripe/", "~/.config/stripe/", "~/.twilio-cli/", "~/.config/sentry/", "~/.sentryclirc", ".sentryclirc", "~/.shopify/", "~/.expo/", "~/.pulumi/credentials.json",
        "~/.appwrite/", "~/.config/algolia/", "~/.config/launchdarkly/", "~/.snowsql/", "~/.snowflake/", "~/.databrickscfg", "~/.dbt/profiles.yml", "~/.bigqueryrc", "~/.config/dagger/",
        "~/.config/datadog/", "~/.newrelic/", "~/.sf/", "~/.sfdx/", "~/.config/atlassian/", "~/.config/jira/", "~/.config/.jira/",
    ]),

    // Containers, clusters, infrastructure.
    row("Docker credentials", "docs.docker.com/reference/cli/docker (config.json); docs.docker.com/engine/security/trust", &[".docker/config.json", ".dockercfg", ".dockerconfigjson", "~/.docker/trust/private/", "~/.docker/contexts/"]),
    row("a registry's credentials", "containers: github.com/containers/image (containers-auth.json.5); ORAS, Helm", &[
        "~/.config/containers/auth.json", "~/.config/helm/registry/", "~/.config/helm/repositories.yaml", "/run/containers/0/auth.json", "~/.singularity/", "~/.apptainer/",
    ]),
    row("Kubernetes credentials", "kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig; k3s, k0s, Rancher, Argo CD, Talos", &[
        ".kube/", "kubeconfig", "*.kubeconfig", "kubeconfig.y*ml", "/etc/rancher/k3s/k3s.yaml", "/etc/kubernetes/", "~/.rancher/", "~/.config/argocd/", "~/.argocd/", "~/.talos/", "talosconfig", "~/.minikube/",
    ]),
    row("Terraform credentials", "developer.hashicorp.com/terraform/cli/config/config-file; OpenTofu", &["~/.terraform.d/credentials.tfrc.json", "~/.terraformrc", "~/.tofurc"]),
    row("Terraform state, which contains secrets", "developer.hashicorp.com/terraform/language/state/sensitive-data", &["*.tfstate", "*.tfstate.backup", "*.tfstate.*.backup", "secret*.tfvars", "*.secret.tfvars", "*secrets.tfvars"]),
    row("a Vault token", "developer.hashicorp.com/vault/docs/commands/token-helper; Consul, Nomad, Packer", &["~/.vault-token"]),
    row("Ansible passwords", "docs.ansible.com/ansible/latest/vault_guide/vault_managing_passwords.html", &[".vault_pass*", ".vault-pass*", "vault_pass*", "vault-password*", "~/.ansible/galaxy_token"]),
    row("an orchestrator's secrets", "Chef (docs.chef.io/workstation/config_rb), Puppet, Salt", &[".chef/*.pem", ".chef/credentials", "~/.chef/", "~/.puppetlabs/etc/puppet/ssl/private_keys/", "/etc/salt/pki/", "/etc/puppetlabs/puppet/ssl/private_keys/"]),
    row("a VPN's keys", "WireGuard: man7.org/linux/man-pages/man8/wg-quick.8.html; Tailscale, OpenVPN, OpenConnect, IPsec", &[
        "wg*.conf", "~/.cert/", "/etc/wireguard/", "/etc/openvpn/", "/var/lib/tailscale/", "/etc/ipsec.secrets", "/etc/ipsec.d/private/", "/etc/swanctl/private/", "/etc/ppp/pap-secrets", "/etc/ppp/chap-secrets",
        "~/.config/wireguard/", "~/.cisco/", "~/.openconnect/", "~/.config/openvpn/", "~/.config/zerotier/", "/var/lib/zerotier-one/authtoken.secret", "~/.config/protonvpn/", "/etc/mullvad-vpn/",
    ]),
    row("Wi-Fi and network passwords", "networkmanager.dev/docs/api/latest/nm-settings-keyfile.html; man.archlinux.org/man/wpa_supplicant.conf.5", &["/etc/NetworkManager/system-connections/", "/etc/wpa_supplicant/", "/var/lib/iwd/", "/etc/netplan/"]),

    // git and forges.
    row("git credentials", "git-scm.com/docs/git-credential-store; github.com/git-ecosystem/git-credential-manager", &[".git-credentials", "~/.config/git/credentials", "~/.git-credential-cache/", "~/.cache/git/credential/", "~/.gcm/"]),
    row("a forge's credentials", "gh (cli.github.com/manual/gh_help_environment), hub, glab, tea, berg, Forgejo, Bitbucket, Gerrit (gitcookies), git-bug, jj", &[
        "~/.config/gh/", "~/.config/hub", "~/.config/glab-cli/", "~/.config/glab/", "~/.config/tea/", "~/.config/berg/", "~/.config/fj/", "~/.local/share/forgejo-cli/", "~/.gitcookies",
        "~/.config/github/", "~/.config/bitbucket/", "~/.arcrc", "~/.jira.d/", "~/.semgrep/", "~/.config/sourcehut/", "~/.config/hut/", "~/.config/radicle/", "~/.radicle/keys/",
        "~/.local/share/gh/", "~/.config/graphite/", "~/.config/git-town/",
    ]),
    row("a CI service's credentials", "CircleCI (circleci.com/docs/local-cli), Travis, Buildkite, Drone, GitLab Runner, GitHub runner", &[
        "~/.circleci/cli.yml", "~/.travis/", "~/.config/buildkite/", "~/.buildkite/", "~/.config/bk.yaml", "~/.drone/", "/etc/gitlab-runner/config.toml", "~/.gitlab-runner/config.toml",
        "~/actions-runner/.credentials*", "~/.config/woodpecker/", "~/.config/earthly/", "~/.earthly/auth.json", "~/.appveyor/",
    ]),

    // Registries of packages.
    row("npm credentials", "docs.npmjs.com/cli/configuring-npm/npmrc; yarnpkg.com/configuration/yarnrc; pnpm.io/npmrc; bun, JSR", &["~/.npmrc", "~/.yarnrc", "~/.yarnrc.yml", "~/.config/pnpm/rc", "~/.config/pnpm/auth.ini", "~/.bunfig.toml", "~/.npm/_auth"]),
    row("PyPI credentials", "packaging.python.org/en/latest/specifications/pypirc; Poetry, uv, Hatch, conda, pip, twine", &[
        ".pypirc", "~/.config/pypoetry/auth.toml", "~/Library/Application Support/pypoetry/auth.toml", "~/.local/share/uv/credentials/", "~/.config/hatch/", "~/.continuum/",
        "~/.config/pip/pip.conf", "~/.pip/pip.conf", "~/.condarc", "~/.rattler/credentials.json", "~/.local/share/jupyter/runtime/", "~/.jupyter/jupyter_server_config.json",
    ]),
    row("crates.io credentials", "doc.rust-lang.org/cargo/reference/config.html#credentials", &[".cargo/credentials", ".cargo/credentials.toml"]),
    row("RubyGems credentials", "guides.rubygems.org/api-key-scopes; bundler.io/man/bundle-config.1.html", &["~/.gem/credentials", "~/.local/share/gem/credentials", "~/.bundle/config", "~/.gemrc"]),
    row("Maven credentials", "maven.apache.org/settings.html; maven.apache.org/guides/mini/guide-encryption.html", &["~/.m2/settings.xml", "~/.m2/settings-security.xml", "~/.m2/settings-security4.xml"]),
    row("JVM build credentials", "Gradle (docs.gradle.org/current/userguide/build_environment.html), sbt, Ivy, Coursier, Leiningen", &[
        "~/.gradle/gradle.properties", "~/.gradle/init.gradle", "~/.gradle/init.d/", "credentials.sbt", "~/.sbt/.credentials", "~/.sbt/credentials", "~/.ivy2/.credentials", "~/.ivy2/credentials",
        "~/.config/coursier/credentials.properties", "~/.lein/credentials.clj*", "~/.lein/profiles.clj", "~/.clojure/credentials",
    ]),
    row("NuGet credentials", "learn.microsoft.com/nuget/reference/nuget-config-file; user secrets: learn.microsoft.com/aspnet/core/security/app-secrets", &["~/.nuget/NuGet/NuGet.Config", "~/.config/NuGet/", "~/.microsoft/usersecrets/", "~/.aspnet/DataProtection-Keys/", "~/.dotnet/corefx/cryptography/"]),
    row("Composer credentials", "getcomposer.org/doc/articles/authentication-for-private-packages.md", &["auth.json"]),
    row("a registry's credentials", "Hex (hex.pm/docs), pub (dart.dev/tools/pub/cmd/pub-token), CocoaPods, Swift (netrc), Go (netrc), opam, CPAN, CRAN, Conan, vcpkg, Hackage, LuaRocks, Julia, Nix, Homebrew", &[
        "~/.hex/hex.config", "~/.config/hex/", "~/.config/dart/pub-tokens.json", "~/.pub-cache/credentials.json", "~/.config/dart/pub-credentials.json", "~/.cocoapods/trunk/", "~/.swiftpm/security/",
        "~/.pause", "~/.Renviron", "~/.conan/.conan.db", "~/.conan2/credentials.json", "~/.conan2/p/conan.db", "~/.stack/upload/", "~/.luarocks/upload_config.lua",
        "~/.julia/config/auth.toml", "~/.julia/servers/", "~/.config/nix/nix.conf", "~/.config/cachix/", "~/.config/attic/", "/etc/nix/netrc", "/etc/nix/secret-key", "~/.opam/plugins/opam-publish/",
        "~/.vsce", "~/.packagecloud", "~/.cloudsmith/", "~/.config/cloudsmith/", "~/.config/jsr/", "~/.local/share/JFrog/", "~/.jfrog/", "~/.config/mvnd/", "/etc/apt/auth.conf", "/etc/apt/auth.conf.d/",
    ]),

    // Keys, encryption and passwords.
    row("SSH keys", "man.openbsd.org/ssh_config (FILES)", &["~/.ssh/", "/etc/ssh/ssh_host_*", "!/etc/ssh/ssh_host_*.pub", "~/.config/ssh/", "~/.putty/", "~/.dropbear/"]),
    row("GnuPG keys", "gnupg.org/documentation/manuals/gnupg/GPG-Configuration.html", &[".gnupg/", "~/.local/share/gnupg/", "secring.gpg", "~/.local/share/sequoia/", "~/.config/sequoia/"]),
    row("an encryption tool's keys", "SOPS (getsops.io/docs), age, minisign, signify, cosign, git-crypt, transcrypt, BorgBackup, restic, rage", &[
        "~/.config/sops/", "~/Library/Application Support/sops/", "~/.config/age/", "~/.age/", "~/.config/rage/", "age-key.txt", "~/.minisign/", "~/.signify/", "cosign.key", "~/.sigstore/",
        "~/.config/git-crypt/", "~/.config/borg/", "~/.config/restic/", "~/.config/rustic/", "~/.config/kopia/", "~/.duplicity/", "~/.config/cryptomator/", "~/.config/step/", "~/.step/", "~/.mkcert/", "~/.local/share/mkcert/rootCA-key.pem",
        "/etc/letsencrypt/archive/", "/etc/letsencrypt/live/", "/etc/letsencrypt/keys/", "/etc/letsencrypt/accounts/", "~/.acme.sh/", "~/.lego/", "~/.local/share/caddy/", "~/.config/agenix/",
    ]),
    row("passwords", "pass (passwordstore.org), gopass, rbw, Bitwarden, 1Password, KeePassXC, LastPass, Dashlane, Doppler, Infisical, Teller", &[
        "~/.password-store/", "~/.local/share/gopass/", "~/.config/gopass/", "~/.local/share/rbw/", "~/.config/Bitwarden CLI/", "~/.config/Bitwarden/", "~/.config/op/", "~/.op/", "~/.config/1Password/",
        "~/.config/keepassxc/", "~/.cache/keepassxc/", "~/.lpass/", "~/.local/share/lpass/", "~/.config/lpass/", "~/.dashlane/", "~/.doppler/", "~/.infisical/", "~/.config/infisical/", "~/.teller/",
        "~/.authinfo", "~/.authinfo.gpg", "~/.config/authenticator/", "~/.local/share/enpass/", "~/.config/Authy Desktop/",
    ]),
    row("passwords", "netrc: gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html; wget, curl, fetchmail, msmtp, mutt, offlineimap, mbsync, isync, himalaya", &[
        ".netrc", "_netrc", "~/.curlrc", "~/.wgetrc", "~/.fetchmailrc", "~/.msmtprc", "~/.config/msmtp/", "~/.muttrc", "~/.mutt/", "~/.config/mutt/", "~/.config/neomutt/", "~/.offlineimaprc", "~/.mbsyncrc",
        "~/.config/himalaya/", "~/.config/aerc/accounts.conf", "~/.procmailrc", "~/.config/rclone/", "~/.rclone.conf", "~/.lftprc", "~/.config/lftp/", "~/.ncftp/", "~/.smbcredentials", "~/.config/filezilla/",
        "~/.config/remmina/", "~/.local/share/remmina/", "~/.davfs2/secrets", "/etc/davfs2/secrets", "~/.config/weechat/", "~/.weechat/", "~/.irssi/", "~/.config/hexchat/", "~/.purple/accounts.xml", "~/.subversion/auth/", "~/.hgrc", "~/.config/breezy/authentication.conf", "~/.w3m/cookie", "~/.lynx_cookies",
        "~/.cvspass", "~/.p4tickets", "~/.config/nextcloud/", "~/.dropbox/", "~/.config/insync/", "~/.config/transmission-daemon/", "~/.vnc/passwd", "~/.config/tigervnc/passwd", "~/.config/syncthing/", "~/.local/state/syncthing/",
    ]),
    row("a keyring", "gnome-keyring (wiki.gnome.org/Projects/GnomeKeyring), KWallet, macOS keychains", &[
        "~/.local/share/keyrings/", "~/.gnome2/keyrings/", "~/.local/share/kwalletd/", "~/.kde/share/apps/kwallet/", "~/.kde4/share/apps/kwallet/", "~/Library/Keychains/", "/Library/Keychains/", "~/.pki/", "~/.local/share/pki/", "~/.local/share/python_keyring/", "~/.config/python_keyring/",
    ]),
    row("a login's keys", "Teleport (goteleport.com/docs/reference/cli/tsh), Okta (developer.okta.com/docs), Google Authenticator's PAM module, adb (developer.android.com/tools/adb)", &[
        "~/.tsh/", "~/.okta/", "~/.google_authenticator", "~/.android/adbkey",
    ]),
    row("Kerberos tickets and keys", "web.mit.edu/kerberos/krb5-latest/doc (ccache, keytab)", &["*.keytab", "/etc/krb5.keytab", "~/.k5login", "~/.krb5/", "/tmp/krb5cc*"]),
    row("wallets", "bitcoin.org, geth.ethereum.org/docs, docs.solana.com, foundry", &["~/.bitcoin/", "~/.ethereum/", "~/.config/solana/", "~/.foundry/keystores/", "~/.electrum/", "~/.monero/", "~/.brownie/accounts/", "~/.near-credentials/", "~/.sui/", "~/.aptos/", "wallet.dat", "~/.lnd/", "~/.config/Exodus/"]),
    row("messages and accounts", "Slack, Discord, Signal, Telegram, Element, Teams: their profiles", &[
        "~/.config/Slack/", "~/.config/discord/", "~/.config/Signal/", "~/.local/share/TelegramDesktop/", "~/.config/Element/", "~/.config/Microsoft/", "~/.config/slack-term/", "~/.slack/",
        "~/Library/Application Support/Slack/", "~/Library/Application Support/Signal/", "~/Library/Messages/", "~/Library/Mail/",
    ]),

    // Databases.
    row("database passwords", "PostgreSQL (postgresql.org/docs/current/libpq-pgpass.html), MySQL (dev.mysql.com/doc/refman/8.4/en/option-files.html), MongoDB, ClickHouse, SQL Server, Cassandra, Redis", &[
        ".pgpass", ".pg_service.conf", ".my.cnf", ".mylogin.cnf", "~/.mongorc.js", "~/.mongoshrc.js", "~/.mongodb/", "~/.clickhouse-client/", "~/.config/clickhouse/", "~/.cqlshrc", "~/.cassandra/", "~/.redisclirc", "~/.rediscli_auth", "~/.arangosh.conf",
        "~/.influxdbv2/", "~/.config/pgcli/", "~/.config/litecli/", "~/.config/mycli/", "~/.myclirc", "~/.config/usql/", "~/.config/dbeaver/", "~/.local/share/DBeaverData/", "~/.config/lazysql/", "~/.tnsnames.ora", "~/.oracle/", "~/.config/edgedb/credentials/", "~/.config/gel/credentials/", "~/.duckdb/stored_secrets/", "~/.questdb/", "~/.surrealdb/",
    ]),

    row("a client's passwords", "HTTPie (httpie.io/docs/cli/sessions), xh, Postman, Insomnia; cookies as curl and yt-dlp keep them (curl.se/docs/http-cookies.html)", &[
        "~/.httpie/", "~/.config/httpie/", "~/.config/xh/", "~/.config/Postman/", "~/.config/Insomnia/", "cookies.txt",
    ]),

    // Histories.
    row("shell history", "gnu.org/software/bash/manual (HISTFILE); zsh.sourceforge.io; fishshell.com/docs; nushell.sh; elv.sh; xon.sh; PSReadLine; atuin.sh", &[
        "~/.*_history", "~/.*history", "~/.histfile", "~/.zsh_sessions/", "~/.bash_sessions/", "~/.local/share/fish/fish_history*", "~/.config/fish/fish_variables", "~/.config/nushell/history.*", "~/.local/state/elvish/", "~/.local/share/xonsh/", "~/.local/share/powershell/PSReadLine/",
        "~/.local/share/atuin/", "~/.local/share/zsh/history*", "~/.local/state/zsh/history*", "~/.cache/zsh/history*", "~/.local/share/bash/history*", "~/.local/state/bash/history*", "~/.local/share/mcfly/",
    ]),
    row("a program's history", "Python, Node, psql, MySQL, SQLite, Redis, Ruby, R, Julia, GHC, Erlang, less, Vim, mongosh, GDB: their manuals", &[
        ".*_history", "~/.lesshst", "~/.local/state/lesshst", "~/.viminfo", "~/.local/state/nvim/shada/", "~/.local/share/nvim/shada/", ".Rhistory", "~/.julia/logs/repl_history.jl", "~/.ghc/ghci_history", "~/.local/share/ghc/ghci_history", "~/.cache/erlang-history/", "~/.dbshell", "~/.irb-history",
        "~/.local/share/irb/", "~/.local/share/pry/", "~/.ipython/profile_default/history.sqlite", "~/.node_repl_history", "~/.local/state/psql_history", "~/.local/state/python_history", "~/.local/share/sqlite_history", "~/.deno/deno_history.txt", "~/.cache/deno/deno_history.txt", "~/.local/share/recently-used.xbel",
    ]),

    // Browsers and mail.
    row("a browser's profile", "Mozilla: support.mozilla.org/kb/profiles-where-firefox-stores-user-data; LibreWolf, Zen, Tor", &[
        "~/.mozilla/", "~/.config/mozilla/", "~/.librewolf/", "~/.zen/", "~/.waterfox/", "~/.floorp/", "~/.tor-browser/", "~/.local/share/torbrowser/", "~/snap/firefox/", "~/.var/app/org.mozilla.firefox/",
        "~/Library/Application Support/Firefox/", "~/Library/Application Support/zen/", "~/Library/Application Support/LibreWolf/",
    ]),
    row("a browser's profile", "Chromium: chromium.googlesource.com/chromium/src/+/main/docs/user_data_dir.md; Brave, Edge, Vivaldi, Opera, Arc", &[
        "~/.config/google-chrome*/", "~/.config/google-chrome/", "~/.config/chromium/", "~/.config/BraveSoftware/", "~/.config/microsoft-edge/", "~/.config/microsoft-edge-dev/", "~/.config/vivaldi/", "~/.config/opera/", "~/.config/thorium/", "~/snap/chromium/", "~/.var/app/com.google.Chrome/", "~/.var/app/com.brave.Browser/", "~/.config/qutebrowser/", "~/.local/share/qutebrowser/", "~/.local/share/epiphany/",
        "~/Library/Application Support/Google/Chrome/", "~/Library/Application Support/Chromium/", "~/Library/Application Support/BraveSoftware/", "~/Library/Application Support/Microsoft Edge/", "~/Library/Application Support/Vivaldi/", "~/Library/Application Support/Arc/", "~/Library/Application Support/com.operasoftware.Opera/", "~/Library/Safari/", "~/Library/Cookies/", "~/Library/Containers/com.apple.Safari/",
    ]),
    row("a mail program's profile", "Thunderbird: support.mozilla.org/kb/profiles-where-thunderbird-stores-user-data; Evolution, Geary", &["~/.thunderbird/", "~/.config/evolution/", "~/.local/share/evolution/", "~/.local/share/geary/", "~/.config/geary/", "~/snap/thunderbird/", "~/Library/Thunderbird/"]),
    row("an editor's stored secrets", "VS Code: code.visualstudio.com/docs/configure/settings (state.vscdb); JetBrains: jetbrains.com/help/idea/reference-ide-settings-password-safe.html; Zed", &[
        "~/.config/Code/User/globalStorage/", "~/.config/VSCodium/User/globalStorage/", "~/Library/Application Support/Code/User/globalStorage/", "~/.config/JetBrains/", "~/Library/Application Support/JetBrains/", "~/.local/share/zed/", "~/.config/sublime-text/Local/", "~/.config/code-server/config.yaml", "~/.vscode-server/data/User/globalStorage/",
    ]),
    row("the desktop login", "X and Wayland: x.org/releases/X11R7.7/doc/man/man1/xauth.1.xhtml; PulseAudio", &["~/.Xauthority", "~/.ICEauthority", "~/.config/pulse/cookie"]),

    // The system's.
    row("password hashes", "man7.org/linux/man-pages/man5/shadow.5.html", &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/master.passwd", "/etc/opasswd", "/etc/security/opasswd"]),
    row("sudo rules", "man7.org/linux/man-pages/man5/sudoers.5.html", &["/etc/sudoers", "/etc/sudoers.d/", "/etc/doas.conf"]),
    row("private keys", "wiki.debian.org/SSL (ssl-cert)", &["/etc/ssl/private/", "/etc/pki/tls/private/"]),
    row("container secrets", "docs.docker.com/engine/swarm/secrets; kubernetes.io/docs/concepts/configuration/secret", &["/run/secrets/", "/var/run/secrets/", "/run/credentials/", "/etc/credstore/", "/etc/credstore.encrypted/"]),
    row("memory", "man7.org/linux/man-pages/man4/mem.4.html", &["/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmem", "/swapfile"]),
    row("control over containers", "docs.docker.com/engine/security/protect-access; podman, containerd, LXD, Colima", &[
        "/run/docker.sock", "/var/run/docker.sock", "/run/podman/", "/run/containerd/", "/run/crio/", "/var/lib/lxd/unix.socket", "/var/snap/lxd/common/lxd/unix.socket", "~/.docker/run/", "~/.docker/desktop/", "~/.colima/", "~/.orbstack/run/", "~/.rd/docker.sock", "~/.lima/_config/user",
    ]),
];

/// Files whose content other programs obey.
#[rustfmt::skip]
pub(super) const OBEYED: &[Row] = &[
    // Agents.
    row("pintle's project settings", "pintle help permissions", &[".pintle/"]),
    row("instructions for agents", "agents.md; code.claude.com/docs/en/memory; geminicli.com/docs/cli/gemini-md; qwenlm.github.io/qwen-code-docs; github.com/charmbracelet/crush; docs.windsurf.com; block.github.io/goose; warp.dev (WARP.md); replit.md", &[
        "AGENTS.md", "AGENT.md", "AGENTS.*.md", "CLAUDE.md", "CLAUDE.*.md", "GEMINI.md", "QWEN.md", "CRUSH.md", "WARP.md", "CODEX.md", "OpenCode.md", "IFLOW.md", "GROK.md", "replit.md",
        ".cursorrules", ".windsurfrules", ".clinerules", ".clinerules-*", ".roorules", ".roorules-*", ".kilocoderules*", ".goosehints", ".aiderules", ".rules", ".augment-guidelines", ".traerules", ".voidrules", ".cody/", "*.instructions.md", "*.prompt.md", "*.chatmode.md", "*.agent.md",
    ]),
    row("an agent's settings", "Claude Code, Codex, Gemini CLI, Pi, Cursor, Windsurf, Cline, Roo, Kilo Code, Amazon Q, Kiro, Trae, Junie, Augment, Continue, OpenHands, Droid, opencode, Crush, Amp, Goose, Qwen Code, Aider, Firebender, Devin, Copilot: their documentation; awesome-agent-conventions", &[
        ".claude/", ".claude-plugin/", ".codex/", ".gemini/", ".pi/", ".agents/", ".agent/", ".cursor/", ".windsurf/", ".clinerules/", ".cline/", ".roo/", ".kilocode/", ".amazonq/", ".kiro/", ".trae/", ".junie/", ".augment/", ".continue/", ".openhands/", ".factory/", ".opencode/", ".amp/", ".goose/", ".qwen/",
        ".iflow/", ".qodo/", ".refact/", "~/.claude.json", ".devin/", ".copilot/", ".ruler/", ".rulesync/", ".aider*", ".vibe/", ".grok/", ".kimi/", ".jules/", ".serena/", ".tabnine/", ".sourcegraph/", ".codebuddy/", ".qoder/", ".zencoder/", ".bolt/", ".void/", ".pearai/", ".specify/", ".bmad-core/",
        "opencode.json", "opencode.jsonc", "crush.json", ".crush.json", "firebender.json", ".continuerc.json", ".rooignore", ".roomodes", "greptile.json", ".coderabbit.y*ml", "sweep.y*ml", "skills-lock.json", ".goosehints", "smithery.y*ml",
    ]),
    row("programs that agents start", "modelcontextprotocol.io; code.claude.com/docs/en/mcp; code.visualstudio.com/docs/copilot/customization/mcp-servers", &[".mcp.json", "mcp.json", ".mcp/", "mcp_config.json", "mcp-config.json", "claude_desktop_config.json", ".mcp.*.json", "mcp_settings.json"]),
    row("instructions for agents", "GitHub Copilot: docs.github.com/copilot/how-tos/configure-custom-instructions", &[
        ".github/copilot-instructions.md", ".github/instructions/", ".github/prompts/", ".github/chatmodes/", ".github/agents/", ".github/skills/", ".github/hooks/", ".github/copilot/", ".github/copilot-setup-steps.y*ml",
    ]),

    // Editors and the programs they start.
    row("git runs its contents", "git-scm.com/docs/gitrepository-layout; git-scm.com/docs/githooks", &[".git/"]),
    row("a version control system runs its contents", "Mercurial (mercurial-scm.org/doc/hgrc.5.html), Jujutsu, Sapling, Subversion, Bazaar, Fossil, Pijul", &[".hg/", ".jj/", ".sl/", ".svn/", ".bzr/", ".pijul/", ".fslckout", "_FOSSIL_", ".hgrc", ".hgsub", ".fossil-settings/"]),
    row("an editor runs tasks from it", "code.visualstudio.com/docs/debugtest/tasks; jetbrains.com/help/idea/creating-and-managing-projects.html; zed.dev/docs/tasks", &[
        ".vscode/", ".vscode-test*", "~/.vscode-server/", ".idea/", ".zed/", ".fleet/", ".run/", "*.run.xml", "*.iml", "*.ipr", "*.iws", ".vs/", "launchSettings.json", "*.sublime-project", "*.sublime-workspace", "*.sublime-build", ".nova/", ".atom/", ".eclipse/", ".settings/", ".externalToolBuilders/", "nbproject/", ".theia/", ".vscodium/", ".xcode.env*", "*.xcscheme", "*.xcworkspacedata",
    ]),
    row("an editor applies it on opening the directory", "VS Code workspaces (code.visualstudio.com/docs/editing/workspaces), projects of other editors", &["*.code-workspace", ".project", ".project.el", ".projectile", ".projections.json", "*.code-profile", ".ycm_extra_conf.py", ".ccls", ".clangd", ".nvim-dap.lua", ".luarc.json*", "hie.yaml", ".bsp/", ".solargraph.yml"]),
    row("an editor runs its contents", "containers.dev/implementors/spec; Gitpod, Coder, Codespaces, devfile, DevPod, Daytona, IDX", &[
        ".devcontainer/", ".devcontainer.json", "devcontainer.json", ".gitpod.y*ml", ".gitpod.Dockerfile", ".ona/", ".codesandbox/", "devfile.y*ml", ".devfile.y*ml", ".idx/", ".replit", "replit.nix", ".coder.y*ml", ".daytona/", ".devbox/", "devbox.json", "devenv.nix", "devenv.y*ml", "devenv.local.*", ".flox/", ".che/",
    ]),
    row("an editor runs it", "vimhelp.org/starting.txt.html (exrc); neovim.io/doc/user; lazy.nvim; gnu.org/software/emacs/manual (dir-locals); docs.helix-editor.com; kakoune, micro, nano", &[
        ".vimrc", "_vimrc", ".gvimrc", ".exrc", "_exrc", ".nvimrc", ".nvim.lua", ".nvim/", ".vim/", ".lazy.lua", ".lvimrc", ".local.vimrc", ".vimspector.json", ".neoconf.json", ".nlsp-settings/", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d/", ".emacs.el", ".spacemacs", ".spacemacs.d/", ".doom.d/", ".helix/", ".kakrc", ".kak/", ".nanorc", ".micro/", ".ideavimrc", ".vsvimrc",
        ".config/nvim/", ".config/vim/", ".config/helix/", ".config/emacs/", ".config/doom/", ".config/kak/", ".config/zed/", ".config/Code/User/", ".config/micro/", ".config/nano/", ".config/sublime-text/", ".config/lapce*/",
    ]),

    // git and its hooks.
    row("git hooks", "pre-commit.com; typicode.github.io/husky; lefthook.dev/configuration; github.com/sds/overcommit; captainhook; simple-git-hooks; lint-staged; prek; hk; cocogitto; rusty-hook; hooks of jj", &[
        ".husky/", ".githooks/", ".git-hooks/", "githooks/", ".hooks/", ".pre-commit-config.y*ml", ".pre-commit-hooks.y*ml", "prek.toml", ".huskyrc*", "husky.config.*", "lefthook.y*ml", "lefthook.toml", "lefthook.json*", ".lefthook.*", "lefthook-local.*", ".lefthook-local.*", ".lefthook/", ".lefthook-local/", ".overcommit.yml", ".git-overcommit/", "captainhook.json", ".simple-git-hooks.*", "simple-git-hooks.*", ".lintstagedrc*", "lint-staged.config.*", "hk.pkl", ".hk/",
        ".rusty-hook.toml", ".cargo-husky/", "cog.toml", "grumphp.y*ml", "grumphp.yml.dist", ".czrc", ".cz.*", "cz.toml", ".commitlintrc*", "commitlint.config.*", ".yorkie/", ".nano-staged.*", ".nanostagedrc*", ".secretlintrc*", ".talismanrc", "pre-commit", "pre-push", "commit-msg", "post-checkout", "post-merge", "prepare-commit-msg",
    ]),
    row("git settings", "git-scm.com/docs/gitattributes; git-scm.com/docs/gitmodules; git-scm.com/docs/git-config; git-lfs", &[".gitmodules", ".gitattributes", ".gitconfig", ".gitconfig.*", ".lfsconfig", ".config/git/"]),

    // CI of every forge.
    row("a CI pipeline", "GitHub Actions (docs.github.com/actions), Gitea, Forgejo, Codeberg", &[".github/workflows/", ".github/actions/", ".github/dependabot.y*ml", ".github/CODEOWNERS", "CODEOWNERS", ".gitea/workflows/", ".gitea/actions/", ".forgejo/workflows/", ".forgejo/actions/", "action.y*ml", ".github/codeql*/", ".github/renovate.json*", ".github/mergify.yml", ".github/settings.yml"]),
    row("a CI pipeline", "GitLab (docs.gitlab.com/ci/yaml), CircleCI, Travis, Buildkite, Woodpecker, Drone, Cirrus, AppVeyor, Azure, Bitbucket, Jenkins, TeamCity, Semaphore, SourceHut, Bamboo, Concourse, GoCD, Zuul, Codemagic, Bitrise, Codeship, Buddy, Harness, Wercker, Scrutinizer, Google and AWS builds, Tekton, Prow, Earthly, Dagger", &[
        ".gitlab-ci.y*ml", ".gitlab-ci/", ".gitlab/", "*.gitlab-ci.y*ml", ".circleci/", ".travis.y*ml", ".buildkite/", "buildkite.y*ml", ".woodpecker/", ".woodpecker.y*ml", ".drone.y*ml", ".drone.jsonnet", ".drone.star", ".cirrus.y*ml", ".cirrus.star", "appveyor.y*ml", ".appveyor.y*ml", ".appveyor/", "azure-pipelines*.y*ml", ".azure-pipelines/", ".azuredevops/", ".pipelines/", "bitbucket-pipelines.y*ml", "Jenkinsfile", "Jenkinsfile.*", "*.jenkinsfile", ".jenkins/", ".teamcity/",
        ".semaphore/", ".build.y*ml", ".builds/", "bamboo-specs/", ".ci/", ".concourse/", ".gocd.y*ml", "*.gocd.y*ml", ".zuul.y*ml", ".zuul.d/", "zuul.d/", "codemagic.y*ml", "bitrise.y*ml", "codeship-*.y*ml", ".buddy/", "buddy.y*ml", ".harness/", "wercker.y*ml", ".scrutinizer.y*ml", "cloudbuild.y*ml", "cloudbuild.json", "buildspec*.y*ml", "appspec.y*ml", ".tekton/", ".prow/", ".prow.y*ml", "Earthfile", "dagger.json", ".dagger/", ".codebuild/", "shippable.y*ml", "screwdriver.y*ml", ".packit.y*ml",
        "cirun.y*ml", ".cirun.y*ml", ".evergreen.y*ml", "evergreen.y*ml", "sonar-project.properties", "codecov.y*ml", ".codecov.y*ml", "atlantis.yaml", ".atlantis.yaml", ".actrc", ".arcconfig", ".arclint",
    ]),
    row("a bot on the forge obeys it", "docs.renovatebot.com; mergify.com; kodiakhq.com; semantic-release; release-please; changesets; goreleaser", &[
        "renovate.json*", ".renovaterc*", ".mergify.y*ml", ".kodiak.toml", ".releaserc*", "release.config.*", "release-please-config.json", ".goreleaser.y*ml", "goreleaser.y*ml", ".release-it.*", "bors.toml", ".bors.toml", ".pullapprove.y*ml", ".asf.yaml", "dangerfile*", ".lgtm.y*ml", ".snyk", ".deepsource.toml", ".restyled.y*ml", ".pr_agent.toml", ".pre-commit-ci.y*ml", ".pyup.y*ml", ".dependabot/", ".changeset/config.json",
    ]),
    row("a hosting provider runs it after a push", "Vercel, Netlify, Fly, Heroku, Render, Railway, Cloudflare, Firebase, App Engine, Read the Docs: their documentation", &[
        "vercel.json", "netlify.toml", "fly.toml", "Procfile*", "render.y*ml", "railway.json", "railway.toml", "nixpacks.toml", "wrangler.toml", "wrangler.json*", "firebase.json", ".firebaserc", ".readthedocs.y*ml", "heroku.yml", ".platform.app.yaml", ".platform/", ".upsun/", "amplify.yml", "apprunner.yaml", "now.json", ".do/", ".ebextensions/", ".elasticbeanstalk/",
    ]),

    // Linters and formatters: their configuration is code, or names plugins and commands, and editors run them.
    row("a linter's configuration", "ESLint (eslint.org/docs/latest/use/configure), Prettier (prettier.io/docs/configuration), Stylelint, Biome (biomejs.dev/reference/configuration), oxlint, dprint, XO, Standard, TSLint, JSHint, JSCS, HTMLHint, markdownlint, textlint, remark, CSpell, Vale, knip, ls-lint, secretlint", &[
        ".eslintrc*", "eslint.config.*", ".prettierrc*", "prettier.config.*", ".stylelintrc*", "stylelint.config.*", "biome.json*", ".biome.json*", ".oxlintrc*", "oxlint.config.*", ".oxfmtrc*", "dprint.json*", ".dprint.json*", ".xo-config*", "xo.config.*", "tslint.json", ".jshintrc", ".jscsrc", ".htmlhintrc", ".markdownlint*", ".textlintrc*", ".remarkrc*", "remark.config.*",
        "cspell.json*", "cspell.config.*", "cspell.y*ml", ".cspell.json*", ".cspell.config.*", "knip.json*", "knip.ts", "knip.js", "knip.config.*", ".vale.ini", "_vale.ini", ".vale/", ".ls-lint.yml", ".rehyperc*", ".sass-lint.*", ".scss-lint.yml", ".csslintrc", ".htmlvalidate.*", ".alexrc*", ".lintrc*", "rome.json", ".depcheckrc*", ".dependency-cruiser.*", ".jscpd.json", ".huskyrc", ".npmpackagejsonlintrc*", ".graphqlrc*", "graphql.config.*", ".solhint.json", ".proselintrc*",
    ]),
    row("a linter's configuration", "Ruff (docs.astral.sh/ruff/configuration), Flake8, Pylint (pylint.readthedocs.io, init-hook), mypy (plugins), isort, Black, yapf, Bandit, pydocstyle, djlint, SQLFluff, ansible-lint, yamllint, pre-commit", &[
        ".flake8", ".pylintrc", "pylintrc", "pylintrc.toml", ".pylintrc.toml", "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".isort.cfg", ".style.yapf", ".yapfrc", ".bandit*", "bandit.yaml", ".pydocstyle*", ".djlintrc", ".sqlfluff", ".ansible-lint*", ".pyre_configuration*", "pytype.cfg", ".prospector.y*ml", ".landscape.y*ml", ".pep8", ".vulture*", "ty.toml", "sitecustomize.py", "usercustomize.py",
    ]),
    row("a linter's configuration", "golangci-lint (golangci-lint.run/docs/configuration), RuboCop (require), Standard, Clippy, rustfmt, PHPStan, Psalm, PHP-CS-Fixer, Rector, Checkstyle, PMD, SpotBugs, detekt, ktlint, Scalafmt, Scalafix, SwiftLint, SwiftFormat, Credo, HLint, clang-format, clang-tidy, Perl::Critic, Hadolint, ShellCheck, TFLint, Checkov, Trivy, Buf, Semgrep, MegaLinter, Trunk, super-linter, Qodana, Sourcery, Gitleaks, typos, treefmt, EditorConfig plugins, luacheck, StyLua, Selene, reek", &[
        ".golangci.*", ".golangci-*", ".rubocop*.y*ml", ".rubocop", ".standard.y*ml", ".reek.y*ml", ".erb-lint.y*ml", ".erb_lint.y*ml", ".haml-lint.y*ml", ".slim-lint.y*ml", "clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", "phpstan*.neon*", "psalm.xml*", ".php-cs-fixer*", ".php_cs*", "rector.php", "ecs.php", "phpcs.xml*", ".phpcs.xml*", "phpmd.xml*", "checkstyle*.xml", "pmd*.xml", "detekt*.y*ml", ".scalafmt.conf", ".scalafix.conf", ".swiftlint.y*ml", ".swiftformat", ".swift-format", ".credo.exs", ".formatter.exs", ".dialyzer_ignore.exs",
        ".hlint.yaml", ".fourmolu.yaml", "fourmolu.yaml", ".stylish-haskell.yaml", ".ormolu", ".clang-format", "_clang-format", ".clang-tidy", ".clang-format-ignore", ".cmake-format*", ".perlcriticrc", ".perltidyrc", ".hadolint.y*ml", ".shellcheckrc", "shellcheckrc", ".tflint.hcl", ".checkov.y*ml", "buf.yaml", ".semgrep/", ".semgrep.y*ml", ".qlty/", ".mega-linter.y*ml", ".megalinter*", ".trunk/", "qodana.y*ml", ".sourcery.yaml", ".gitleaks.toml", "gitleaks.toml", ".pre-commit*", "treefmt.toml", ".treefmt.toml", "treefmt.nix",
        ".luacheckrc", "stylua.toml", ".stylua.toml", "selene.toml", ".ktlint", ".ameba.yml", ".codeclimate.y*ml", ".gherkin-lintrc", "staticcheck.conf", "revive.toml", ".oclint", ".lintr", ".csharpierrc*", "stylecop.json", ".globalconfig", "omnisharp.json",
    ]),

    // Build tools: settings that every run picks up.
    row("cargo runs programs it specifies", "doc.rust-lang.org/cargo/reference/config.html (runner, rustc-wrapper, linker)", &[".cargo/config", ".cargo/config.toml", ".config/nextest.toml", ".config/hakari.toml"]),
    row("selects a toolchain's programs", "rust-lang.github.io/rustup/overrides.html; go.dev/doc/toolchain; nvm, fnm, Volta, pyenv, rbenv, jenv, SDKMAN, goenv, tfenv, jabba", &[
        "rust-toolchain", "rust-toolchain.toml", ".nvmrc", ".node-version", ".python-version", ".ruby-version", ".ruby-gemset", ".java-version", ".go-version", ".terraform-version", ".tool-versions", ".sdkmanrc", ".jabbarc", ".php-version", ".perl-version", ".swift-version", ".xcode-version", ".bun-version", ".dvmrc", ".zvmrc", ".tfswitchrc", ".tgswitchrc", ".opentofu-version", ".terragrunt-version", ".rvmrc", ".crystal-version", ".elixir-version", ".prototools", ".proto/", "global.json",
    ]),
    row("a build tool's settings", "Maven (maven.apache.org/configure.html), Gradle wrapper and init scripts (docs.gradle.org), sbt, Mill, Bazel (bazel.build/run/bazelrc), Buck2, Pants, Meson, CMake presets, Nx, Turborepo, MSBuild (Directory.Build.*), Ant", &[
        ".mvn/", "mvnw", "mvnw.cmd", "gradlew", "gradlew.bat", "gradle-wrapper.properties", "gradle-wrapper.jar", "gradle.properties", "init.gradle*", ".sbtopts", ".jvmopts", ".sbtrc", ".mill-jvm-opts", ".mill-opts", ".mill-version", ".bazelrc", "*.bazelrc", ".bazeliskrc", ".bazelversion", "tools/bazel", ".buckconfig*", ".buckversion", ".pants.rc", "pants.toml", ".pants.bootstrap", "CMakeUserPresets.json", ".nxrc", "Directory.Build.*", "Directory.Solution.*", "*.csproj.user", "*.vcxproj.user", ".ccache/ccache.conf", "ccache.conf", "cabal.project.local", ".ghci", ".ghcid", ".stack/config.yaml", ".iex.exs", ".irbrc", ".pryrc", ".Rprofile", ".Renviron", ".pythonrc*", ".jupyter/", ".ipython/", ".sqliterc", ".psqlrc", ".noderc", ".erlang", ".utoprc", ".ocamlinit", ".guile", ".sbclrc", ".config/ghc/", ".julia/config/startup.jl", ".juliarc.jl", ".octaverc", "startup.m", ".proverc", ".merlin", ".tern-project", ".lsp/config.edn", ".config/ipython/", ".mongorc.js", ".radare2rc", ".r2rc",
    ]),
    row("direnv runs it", "direnv: direnv.net/man/direnv.1.html; direnv.net/man/direnv.toml.1.html", &[".envrc", ".envrc.*", ".direnvrc", ".direnv/", "direnv.toml", ".config/direnv/"]),
    row("a task runner's settings for each run", "mise (mise.jdx.dev/configuration.html), asdf, Task, just, Tilt, Skaffold, process-compose, Overmind, Foreman, dotenvx", &[
        "mise.toml", "mise.*.toml", ".mise.toml", ".mise.*.toml", ".mise/", "mise/config.toml", "mise/conf.d/", ".config/mise/", ".config/mise.toml", ".config/mise.*.toml", ".rtx.toml", ".rtx/", ".asdfrc", ".taskrc.y*ml", ".overmind.env", "process-compose.y*ml", ".pup.toml", ".autoenv.zsh", ".autoenv", ".shadowenv.d/", ".localrc", "aqua.yaml", ".aqua/", ".hermit/", ".devshell.toml", "ansible.cfg", ".ansible.cfg",
    ]),

    // Package managers.
    row("a package manager's settings", "docs.npmjs.com/cli/configuring-npm/npmrc; yarnpkg.com/configuration/yarnrc (yarnPath, plugins); pnpm.io/pnpmfile; bun.sh/docs/runtime/bunfig; pip.pypa.io/en/stable/topics/configuration; uv, Poetry, Bundler, NuGet, Composer, Conda, CocoaPods, Hex, Conan, vcpkg, opam, Nix", &[
        ".npmrc", "npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/releases/", ".yarn/plugins/", ".yarn/sdks/", ".pnpmfile.*", "pnpmfile.*", "bunfig.toml", ".bunfig.toml", ".pnp.*", ".bowerrc", ".lernarc", "pip.conf", "pip.ini", ".pip/", "uv.toml", "poetry.toml", ".pdm.toml", "pdm.toml", ".condarc", ".bundle/", ".gemrc", "nuget.config", ".nuget/", ".cocoapods/", "vcpkg-configuration.json", "nix.conf", ".nixpkgs/", ".rvm/", "jsr.config.json", ".swiftpm/", ".cpanm/", ".pixi/config.toml",
    ]),

    // Shells, terminals, debuggers, the desktop.
    row("a shell startup file", "gnu.org/software/bash/manual (Startup Files); zsh.sourceforge.io/Doc/Release/Files.html; fishshell.com/docs; nushell.sh; elv.sh; tcsh, ksh, xonsh, PowerShell", &[
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_functions", ".bashrc.d/", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".zshrc.*", ".zsh/", ".zsh.d/", ".zpreztorc", ".oh-my-zsh/", ".oh-my-bash/", ".p10k.zsh", ".antigen/", ".zinit/", ".cshrc", ".tcshrc", ".login", ".logout", ".kshrc", ".mkshrc", ".shrc", ".ashrc", ".inputrc", ".xonshrc", ".aliases", ".exports", ".functions", ".hushlogin.sh", ".blerc", ".shinit", ".screenrc",
        ".config/fish/", ".config/bash/", ".config/zsh/", ".config/nushell/", ".config/elvish/", ".config/xonsh/", ".config/powershell/", ".config/starship.toml", ".config/environment.d/", "Microsoft.PowerShell_profile.ps1", "profile.ps1",
    ]),
    row("a debugger runs it", "sourceware.org/gdb/current/onlinedocs (gdbinit); lldb.llvm.org/man/lldb.html; pdb, perldb, delve, radare2", &[".gdbinit", "gdbinit", "*-gdb.gdb", "*-gdb.py", "*-gdb.scm", ".lldbinit", ".lldbinit-*", ".pdbrc", ".pdbrc.py", ".perldb", ".rdebugrc", ".byebugrc", ".dlv/", ".jdbrc", "jdb.ini", ".cgdb/", ".gdbearlyinit", ".config/gdb/", ".valgrindrc"]),
    row("a terminal runs it", "man.openbsd.org/tmux; zellij.dev; wezterm.org; sw.kovidgoyal.net/kitty/conf; Alacritty, tmuxinator, tmuxp", &[".tmux.conf", ".tmux.conf.local", ".tmux/", ".config/tmux/", ".tmuxinator.y*ml", ".tmuxinator/", ".tmuxp.*", ".tmuxp/", ".zellij/", ".config/zellij/", ".wezterm.lua", ".config/wezterm/", ".config/kitty/", ".config/alacritty/", ".config/ghostty/", ".byobu/", ".config/foot/", ".config/rio/", ".minttyrc", ".dircolors", ".config/lf/", ".config/ranger/", ".config/yazi/", ".lessfilter", ".lesskey", ".ripgreprc", ".ackrc", ".agrc", ".mailcap", ".terminfo/"]),
    row("a desktop startup file", "x.org (xinitrc); specifications.freedesktop.org/autostart-spec; systemd.io; launchd: developer.apple.com; cron, at", &[
        ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".xserverrc", ".Xresources", ".Xdefaults", ".xmodmaprc", ".pam_environment", ".config/autostart/", ".config/systemd/", ".config/plasma-workspace/", ".config/i3/", ".config/sway/", ".config/hypr/", ".config/awesome/", ".config/bspwm/", ".config/qtile/", ".xmonad/", ".config/xmonad/", ".config/river/", ".config/niri/", ".config/openbox/", ".config/polybar/", ".config/waybar/", ".config/sxhkd/", ".local/share/systemd/", ".local/share/applications/", ".local/share/dbus-1/", ".local/share/nautilus/scripts/", "Library/LaunchAgents/", "Library/LaunchDaemons/", "Library/Services/", "Library/Application Scripts/", ".config/pipewire/", ".crontab", ".anacrontab", "crontab", ".config/khotkeysrc", ".hammerspoon/", ".config/karabiner/", ".yabairc", ".skhdrc", ".aerospace.toml",
    ]),
    row("programs on a shell's path", "XDG: specifications.freedesktop.org/basedir-spec (~/.local/bin)", &[".local/bin/", "~/bin/", "~/.bin/", "~/.cargo/bin/", "~/go/bin/", "~/.npm-global/", "~/.deno/bin/", "~/.bun/bin/", "~/.pyenv/shims/", "~/.rbenv/shims/", "~/.asdf/", "~/.local/share/mise/", "~/.nvm/", "~/.volta/", "~/.rustup/", "~/.sdkman/", "~/.gem/", "~/.local/share/pnpm/", "~/.yarn/bin/"]),
    row("users who may log in", "man.openbsd.org/sshd (authorized_keys)", &["authorized_keys", "authorized_keys2", "authorized_principals", ".rhosts", ".shosts", ".k5login", ".k5users", "hosts.equiv"]),
];
