use super::*;
use crate::wire::{WireRequest, WireResponse};
use crate::{Api, Message};
use futures_util::StreamExt;
use futures_util::future::join_all;
use pintle_protocol::content::Content;
use std::sync::atomic::AtomicUsize;

/// Prints `k-1`, `k-2` … after others had their turn; `Some(n)` fails from the nth run on.
#[derive(Debug, Default)]
struct Counter {
    runs: AtomicUsize,
    fails_from: Option<usize>,
    is_constant: bool,
}

#[async_trait::async_trait]
impl Printer for Counter {
    async fn print(&self, command: &str) -> Result<Secret, Error> {
        tokio::task::yield_now().await;
        let run = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        if self.fails_from.is_some_and(|first| run >= first) {
            return Err(Error::new(ErrorKind::Auth, format!("{command} failed")));
        }
        Ok(Secret::new(if self.is_constant { "k-1".to_owned() } else { format!("k-{run}") }))
    }
}

fn commands(counter: Counter) -> (Commands, Arc<Counter>) {
    let counter = Arc::new(counter);
    (Commands::new(Arc::<Counter>::clone(&counter)), counter)
}

#[tokio::test]
async fn those_who_ask_at_once_share_one_run() {
    for (fails_from, want) in [(None, Ok("k-1")), (Some(1), Err("c failed"))] {
        let (commands, counter) = commands(Counter { fails_from, ..Counter::default() });
        let (one, other) = (commands.get("c"), commands.get("c"));
        let all = join_all([one.get(None, None), other.get(None, None), one.get(None, None)]).await;
        for got in all {
            let got = got.as_ref().map(|(secret, _)| secret.expose());
            assert_eq!(got.map_err(|error| error.message.as_str()), want);
        }
        assert_eq!(counter.runs.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn the_output_of_a_command_is_cached_for_its_lifetime() {
    let hour = Some(Duration::from_secs(3600));
    for (name, max_age, refused, want) in [
        ("forever", None, None, "k-1"),
        ("for its time", hour, None, "k-1"),
        ("and no longer", Some(Duration::ZERO), None, "k-2"),
        ("until it is refused", None, Some(1), "k-2"),
        ("an earlier one was refused", None, Some(0), "k-1"),
    ] {
        let (commands, _) = commands(Counter::default());
        commands.get("c").get(None, None).await.unwrap();
        let (secret, _) = commands.get("c").get(max_age, refused).await.unwrap();
        assert_eq!(secret.expose(), want, "{name}");
    }
}

#[tokio::test]
async fn one_that_failed_is_run_again_and_each_command_is_its_own() {
    let (commands, counter) = commands(Counter { fails_from: Some(1), ..Counter::default() });
    assert!(commands.get("a").get(None, None).await.is_err());
    assert!(commands.get("a").get(None, None).await.is_err());
    assert!(commands.get("b").get(None, None).await.is_err());
    assert_eq!(counter.runs.load(Ordering::Relaxed), 3);
}

/// Refuses every key but this one.
#[derive(Debug)]
struct Gate {
    key: &'static str,
    status: u16,
    seen: Mutex<Vec<String>>,
}

#[async_trait::async_trait]
impl Wire for Gate {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        let keys = request.headers.iter().map(|(name, key)| format!("{name}: {}", key.expose()));
        let keys = keys.collect::<Vec<_>>().join(", ");
        let is_open = keys.contains(self.key);
        self.seen.lock().unwrap().push(keys);
        let body: &[u8] = if is_open {
            b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
        } else {
            b"{\"error\":{\"message\":\"no\"}}"
        };
        Ok(WireResponse {
            status: if is_open { 200 } else { self.status },
            headers: Vec::new(),
            body: futures_util::stream::iter([Ok(bytes::Bytes::from_static(body))]).boxed(),
        })
    }
}

#[tokio::test]
async fn a_refused_key_is_printed_anew_and_the_request_sent_once_more() {
    let bearer = |key: &str| format!("authorization: Bearer {key}");
    let all = ["k-1", "k-2"].map(bearer).to_vec();
    for (name, key, status, is_constant, fails_from, want_seen, want) in [
        ("an expired key", "k-2", 401, false, None, all.clone(), Ok(())),
        ("forbidden", "k-2", 403, false, None, all.clone(), Ok(())),
        ("a key that is good", "k-1", 401, false, None, vec![bearer("k-1")], Ok(())),
        ("once more and no more", "k-3", 401, false, None, all, Err("own answered 401: no")),
        (
            "not for other failures",
            "k-2",
            500,
            false,
            None,
            vec![bearer("k-1")],
            Err("own answered 500: no"),
        ),
        ("the same key", "k-2", 401, true, None, vec![bearer("k-1")], Err("own answered 401: no")),
        (
            "a second run that fails",
            "k-2",
            401,
            false,
            Some(2),
            vec![bearer("k-1")],
            Err("c failed"),
        ),
    ] {
        let (commands, _) = commands(Counter { fails_from, is_constant, ..Counter::default() });
        let gate = Arc::new(Gate { key, status, seen: Mutex::default() });
        let (endpoint, wire) =
            (Endpoint::new("own", Api::Chat, "http://h"), Arc::<Gate>::clone(&gate));
        let provider = Commanded::new(endpoint, wire, vec![(Slot::Key, commands.get("c"))], None);
        let answer = provider.stream(request()).await.map(drop);
        assert_eq!(*gate.seen.lock().unwrap(), want_seen, "{name}");
        assert_eq!(answer.map_err(|error| error.message), want.map_err(str::to_owned), "{name}");
    }
}

#[tokio::test]
async fn a_header_may_be_printed_too_by_the_same_run() {
    let (commands, counter) = commands(Counter::default());
    let gate = Arc::new(Gate { key: "k-2", status: 401, seen: Mutex::default() });
    let slots = vec![
        (Slot::Key, commands.get("c")),
        (Slot::Header("x-team".to_owned()), commands.get("c")),
    ];
    let endpoint = Endpoint::new("own", Api::Chat, "http://h");
    let wire = Arc::<Gate>::clone(&gate);
    let provider = Commanded::new(endpoint, wire, slots, None);
    provider.stream(request()).await.map(drop).unwrap();
    let want = ["authorization: Bearer k-1, x-team: k-1", "authorization: Bearer k-2, x-team: k-2"];
    assert_eq!(*gate.seen.lock().unwrap(), want);
    assert_eq!(counter.runs.load(Ordering::Relaxed), 2);
}

fn request() -> Request {
    Request {
        model: "m".to_owned(),
        origin: "own/m".to_owned(),
        system: "".into(),
        messages: vec![Arc::new(Message::User(vec![Content::text("hi")]))].into(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: crate::Trace::default(),
    }
}
