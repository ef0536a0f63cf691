#![expect(clippy::disallowed_methods, reason = "tests make the files that they read")]

use super::*;
use crate::config::{Flags, load};
use pintle_base::network::Network;
use pintle_llm::catalog::{Auth, OutputLimit};
use pintle_llm::credentials::Printer;
use pintle_llm::wire::{WireRequest, WireResponse};
use pintle_protocol::models::KeyState;

/// Nothing is sent and nothing is run here.
#[derive(Debug)]
struct Nothing;

#[async_trait::async_trait]
impl Wire for Nothing {
    async fn send(&self, _: WireRequest) -> Result<WireResponse, Error> {
        Err(Error::new(ErrorKind::Network, "nothing is sent here"))
    }
}

#[async_trait::async_trait]
impl Printer for Nothing {
    async fn print(&self, _: &str) -> Result<Secret, Error> {
        Err(Error::new(ErrorKind::Auth, "nothing is run here"))
    }
}

/// Models with this config file and these variables.
fn models(config: &str, vars: &[(&str, &str)]) -> (ConfiguredModels, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let vars = [vars, &[("PINTLE_HOME", home.path().to_str().unwrap())]].concat();
    let ambient = Ambient::fixed(vars.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())));
    let config = load(&ambient, Flags::default()).unwrap();
    let models = ConfiguredModels {
        settings: Live::new(&ambient, Flags::default(), config),
        logins: Logins::in_folder(home.path(), &ambient, Network::default()),
        ambient,
        wire: Arc::new(Nothing),
        is_replay: false,
        commands: Commands::new(Arc::new(Nothing)),
    };
    (models, home)
}

fn model(name: &str) -> ModelRef {
    name.parse().unwrap()
}

#[test]
fn each_field_of_a_row_goes_over_the_catalogues() {
    let known = catalog::model("anthropic", "claude-sonnet-5").unwrap();
    let price = known.price.unwrap();
    let with = |change: &dyn Fn(&mut Model)| {
        let mut row = known.clone();
        change(&mut row);
        row
    };
    let with_price = |change: &dyn Fn(&mut catalog::Price)| {
        with(&|row| {
            let mut price = price;
            change(&mut price);
            row.price = Some(price);
        })
    };
    for (said, want) in [
        ("name = \"Mine\"", with(&|row| row.name = Some("Mine".to_owned()))),
        ("api = \"chat\"", with(&|row| row.api = Some("chat".to_owned()))),
        ("window = 5", with(&|row| row.window = Some(5))),
        ("max_output = 6", with(&|row| row.max_output = Some(6))),
        ("vision = false", with(&|row| row.vision = Some(false))),
        ("reasoning = false", with(&|row| row.reasoning = Some(false))),
        ("profile = \"pi\"", with(&|row| row.profile = Some("pi".to_owned()))),
        ("price = { input = 7 }", with_price(&|price| price.input = 7.0)),
        ("price = { output = 8.5 }", with_price(&|price| price.output = 8.5)),
        ("price = { cache_read = 0 }", with_price(&|price| price.cache_read = Some(0.0))),
        ("price = { cache_write = 9 }", with_price(&|price| price.cache_write = Some(9.0))),
        ("price = { web_search = 5 }", with_price(&|price| price.searches = Some(5.0))),
        ("", with(&|_| {})),
    ] {
        let config = format!("[providers.anthropic.models.claude-sonnet-5]\n{said}\n");
        let (models, _home) = models(&config, &[]);
        for id in ["anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5-20991231"] {
            let mut got = models.model(&model(id)).unwrap();
            assert!(got.source.ends_with(&format!("config.toml, over: {}", known.source)));
            got.source.clone_from(&known.source);
            assert_eq!(got, want, "{said}");
        }
        // Other rows stay unchanged.
        let other = catalog::model("anthropic", "claude-opus-4-7");
        assert_eq!(models.model(&model("anthropic/claude-opus-4-7")).as_ref(), other);
    }
}

#[test]
fn a_model_of_ones_own_has_the_price_that_is_said_whole() {
    let price = |provider: &str, said: &str| {
        let (models, _home) =
            models(&format!("[providers.{provider}.models.m]\nprice = {{ {said} }}\n"), &[]);
        let price = models.model(&model(&format!("{provider}/m"))).unwrap().price;
        price.map(|price| (price.input, price.output, price.searches))
    };
    assert_eq!(price("own", "input = 1, output = 2"), Some((1.0, 2.0, None)));
    assert_eq!(price("own", "input = 1, output = 2, web_search = 3"), Some((1.0, 2.0, Some(3.0))));
    assert_eq!(price("own", "input = 1, web_search = 3"), None);
    // A search costs what its provider asks, whatever the model.
    assert_eq!(price("anthropic", "input = 1, output = 2"), Some((1.0, 2.0, Some(10.0))));
    assert!(models("", &[]).0.model(&model("own/m")).is_none());
}

/// The file, the variables, the model, and what shows.
type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, fn(&UnresolvedEndpoint) -> bool);

#[test]
fn an_endpoint_is_as_its_rows_say() {
    let openai = [("OPENAI_API_KEY", "sk")];
    let shown = |config: &str, vars: &[(&str, &str)], name: &str| {
        let (models, _home) = models(config, vars);
        let reached = models.reach(&models.settings.current(), &model(name));
        reached.map_err(|error| error.message)
    };
    let own = "[providers.own]\nbase_url = \"http://h\"\napi = \"chat\"\n";
    let rows: [Row<'_>; 14] = [
        ("", &openai, "openai/m", |r| r.endpoint.key_var.as_deref() == Some("OPENAI_API_KEY")),
        ("[providers.openai]\nkey = \"k\"\n", &[], "openai/m", |r| {
            r.endpoint.key == Some(Secret::new("k")) && r.endpoint.key_var.is_none()
        }),
        ("[providers.openai]\nkey = \"$A\"\n", &[("A", "a")], "openai/m", |r| {
            r.endpoint.key == Some(Secret::new("a")) && r.endpoint.key_var.as_deref() == Some("A")
        }),
        ("[providers.openai]\nkey_vars = [\"A\", \"B\"]\n", &[("B", "b")], "openai/m", |r| {
            r.endpoint.key == Some(Secret::new("b")) && r.endpoint.key_var.as_deref() == Some("B")
        }),
        ("[providers.openai]\nbase_url_var = \"U\"\n", &[("U", "http://u")], "openai/m", |r| {
            r.endpoint.base_url == "http://u"
        }),
        ("[providers.openai]\noutput_limit = \"max_tokens\"\n", &openai, "openai/m", |r| {
            r.endpoint.dialect.output_limit == OutputLimit::MaxTokens
        }),
        (
            "[providers.openai]\nstore = true\nmodels.m.output_limit = \"max_tokens\"\n",
            &openai,
            "openai/m",
            |r| {
                r.endpoint.dialect.output_limit == OutputLimit::MaxTokens
                    && r.endpoint.dialect.store
            },
        ),
        (
            "[providers.openai.models.m]\noutput_limit = \"max_tokens\"\n",
            &openai,
            "openai/other",
            |r| r.endpoint.dialect.output_limit == OutputLimit::MaxCompletionTokens,
        ),
        (
            "[providers.own]\nbase_url = \"http://h\"\nmodels.m.api = \"gemini\"\n",
            &[],
            "own/m",
            |r| r.endpoint.api == Api::Gemini && r.endpoint.key.is_none(),
        ),
        (
            "[providers.own]\nbase_url = \"http://h\"\napi = \"chat\"\nkey = \"!x\"\nkey_expires_s = 60\n\
             headers = { a = \"!y\" }\nauth = \"api-key\"\n",
            &[],
            "own/m",
            |r| {
                r.max_age == Some(Duration::from_secs(60))
                    && r.slots.len() == 2
                    && r.endpoint.auth == Some(Auth::ApiKey)
            },
        ),
        (
            "[providers.own]\nbase_url = \"http://h\"\napi = \"chat\"\nheaders = { A = \"1\", B = \"1\" }\n\
             models.m.headers = { a = \"2\" }\n",
            &[],
            "own/m",
            |r| {
                let of = |(name, value): &(String, Secret)| format!("{name}={}", value.expose());
                r.endpoint.headers.iter().map(of).collect::<Vec<_>>() == ["B=1", "a=2"]
            },
        ),
        (
            "[providers.own]\nbase_url = \"http://h\"\napi = \"chat\"\nvision = false\nmodels.m = { vision = true }\n",
            &[],
            "own/m",
            |r| r.endpoint.takes_images == Some(true),
        ),
        (
            "[providers.own]\nbase_url = \"http://h\"\napi = \"chat\"\nmodels.m = { reasoning = false, max_output = 9 }\n",
            &[],
            "own/m:high",
            |r| {
                r.endpoint.efforts.get(&Effort::High) == Some(&None)
                    && r.endpoint.max_output_tokens == Some(9)
            },
        ),
        (own, &[], "own/m", |r| {
            r.endpoint.efforts.is_empty() && r.endpoint.max_output_tokens.is_none()
        }),
    ];
    for (config, vars, name, shows) in rows {
        match shown(config, vars, name) {
            Ok(reached) => assert!(shows(&reached), "{config}: {:?}", reached.endpoint),
            Err(message) => panic!("{config}: {message}"),
        }
    }
}

#[test]
fn the_list_says_whether_a_key_is_there() {
    let own =
        |more: &str| format!("[providers.own]\nbase_url = \"http://h\"\napi = \"chat\"\n{more}");
    let openai = |more: &str| format!("[providers.openai]\n{more}");
    let rows = [
        ("own", own(""), KeyState::NotNeeded, None),
        ("own", own("key = \"k\""), KeyState::Set, None),
        ("own", own("key = \"$NO\""), KeyState::Missing, Some("NO")),
        ("own", own("key = \"$YES\""), KeyState::Set, None),
        ("own", own("key = \"!x\""), KeyState::Command, None),
        ("own", own("key_vars = [\"NO\", \"YES\"]"), KeyState::Set, Some("YES")),
        ("own", own("key_vars = [\"NO\"]"), KeyState::Missing, Some("NO")),
        ("openai", String::new(), KeyState::Missing, Some("OPENAI_API_KEY")),
        ("openai", openai("base_url = \"http://h\""), KeyState::NotNeeded, Some("OPENAI_API_KEY")),
        ("openai", openai("key = \"k\""), KeyState::Set, None),
        ("ollama", String::new(), KeyState::NotNeeded, None),
    ];
    for (name, config, key, var) in rows {
        let (models, _home) = models(&config, &[("YES", "y")]);
        let list = models.list();
        let row = list.providers.iter().find(|row| row.name == name).unwrap();
        assert_eq!((row.key, row.key_var.as_deref()), (key, var), "{name} {config}");
        // The listed values apply.
        let answers = models.provider(&model(&format!("{name}/m")));
        assert_eq!(answers.is_err(), key == KeyState::Missing, "{name} {config}");
    }
}

#[test]
fn a_replay_needs_no_key_and_runs_no_command() {
    for config in [
        "",
        "[providers.openai]\nkey = \"!x\"\nheaders = { A = \"$NO\" }\n",
        "[providers.openai]\nkey = \"$NO\"\nbase_url = \"$NO/v1\"\n",
        "[providers.openai]\nkey_vars = [\"NO\"]\n",
    ] {
        let (models, _home) = models(config, &[]);
        let models = ConfiguredModels { is_replay: true, ..models };
        assert!(models.provider(&model("openai/m")).is_ok(), "{config}");
    }
}
