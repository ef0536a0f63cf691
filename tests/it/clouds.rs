//! Models behind a cloud, asked by the real program: how requests are let in, and what comes back.

use crate::support::program::Place;
use crate::support::server::{Received, Server};

/// A reply in frames. Written by the layout of the event stream specification in a script of Python, and read back by the
/// event stream code of PyPI botocore 1.44.5 before it was stored.
const FRAMES: &[u8] = include_bytes!("../fixtures/bedrock-reply.bin");

const CLAUDE: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[],\"usage\":{\"input_tokens\":11}}}\n\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n",
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\n",
    "data: {\"type\":\"message_stop\"}\n\n",
);
const CHAT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const GEMINI: &str = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hello\"}]},\"finishReason\":\"STOP\"}]}\n\n";
const RESPONSES: &str = concat!(
    "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}}\n\n",
    "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
);

/// Answers one request with these bytes, in pieces; returns the URL and, in the end, the request.
fn serve(content_type: &'static str, body: &[u8]) -> (String, std::thread::JoinHandle<Received>) {
    let body = body.to_vec();
    let (tx, url) = std::sync::mpsc::channel();
    let served = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::start().await;
            tx.send(server.url.clone()).unwrap();
            let (mut connection, received) = server.request().await;
            connection.head(200, content_type).await;
            for piece in body.chunks(300) {
                connection.chunk(piece).await;
            }
            connection.end().await;
            received
        })
    });
    (url.recv().unwrap(), served)
}

#[test]
fn each_cloud_is_asked_in_its_own_way() {
    let frames = ("application/vnd.amazon.eventstream", FRAMES);
    let events = |text: &'static str| ("text/event-stream", text.as_bytes());
    let aws = [
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "secret-half"),
        ("AWS_REGION", "eu-west-3"),
    ];
    let signed = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/";
    let google = [
        ("GOOGLE_CLOUD_ACCESS_TOKEN", "secret-half"),
        ("GOOGLE_CLOUD_PROJECT", "p"),
        ("GOOGLE_CLOUD_LOCATION", "l"),
    ];
    let azure = [("AZURE_OPENAI_API_KEY", "secret-half")];
    for (model, vars, base, answer, path, header, want, text) in [
        (
            "bedrock/eu.anthropic.claude-x-v1:0",
            &aws[..],
            "",
            frames,
            "/model/eu.anthropic.claude-x-v1%3A0/invoke-with-response-stream",
            "authorization",
            signed,
            "Grüezi from a frame ✓",
        ),
        (
            "bedrock/openai.gpt-oss-20b-1:0",
            &aws,
            "",
            events(CHAT),
            "/openai/v1/chat/completions",
            "authorization",
            signed,
            "hello",
        ),
        (
            "vertex/claude-x@1",
            &google,
            "/projects/{GOOGLE_CLOUD_PROJECT}/locations/l",
            events(CLAUDE),
            "/projects/p/locations/l/publishers/anthropic/models/claude-x@1:streamRawPredict",
            "authorization",
            "Bearer secret-half",
            "hello",
        ),
        (
            "vertex/gemini-3-x",
            &google,
            "/projects/p/locations/l",
            events(GEMINI),
            "/projects/p/locations/l/publishers/google/models/gemini-3-x:streamGenerateContent?alt=sse",
            "authorization",
            "Bearer secret-half",
            "hello",
        ),
        (
            "azure/my-deployment",
            &azure,
            "/openai/deployments/{model}/chat/completions?api-version=2024-10-21",
            events(CHAT),
            "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
            "api-key",
            "secret-half",
            "hello",
        ),
        (
            "azure/gpt-5",
            &azure,
            "/openai/v1/responses?api-version=preview",
            events(RESPONSES),
            "/openai/v1/responses?api-version=preview",
            "api-key",
            "secret-half",
            "hello",
        ),
    ] {
        let (url, served) = serve(answer.0, answer.1);
        let place = Place::new(&[]);
        let base = format!("{url}{base}");
        let mut args =
            vec!["run", "--quiet", "--format", "json", "--model", model, "--base-url", &base];
        if path.contains("/responses") {
            args.extend(["--api", "responses"]);
        }
        args.push("hi");
        let mut command = place.command(&args);
        command.envs(vars.iter().copied()).stdin(std::process::Stdio::null());
        let out = command.output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{model}: {said}");
        let got: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(got["text"], text, "{model}: {got}");
        let received = served.join().unwrap();
        assert_eq!(received.path, path, "{model}");
        assert!(received.header(header).unwrap().starts_with(want), "{model}: {received:?}");
        assert!(!received.body.contains("secret-half"), "{model}");
        if want == signed {
            let authorization = received.header("authorization").unwrap();
            assert!(authorization.contains("/eu-west-3/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature="), "{authorization}");
            assert!(received.headers.iter().all(|(_, value)| !value.contains("secret-half")));
        }
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(!journal.contains("secret-half"), "{model}");
    }
}

#[test]
fn a_profile_of_amazons_tools_is_enough() {
    let (url, served) = serve("application/vnd.amazon.eventstream", FRAMES);
    let place = Place::new(&[]);
    let folder = place.home().parent().unwrap().join(".aws");
    std::fs::create_dir_all(&folder).unwrap();
    let keys = "[work]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = secret-half\naws_session_token = token-half\n";
    std::fs::write(folder.join("credentials"), keys).unwrap();
    std::fs::write(folder.join("config"), "[profile work]\nregion = eu-north-1\n").unwrap();
    let args = ["run", "--quiet", "--model", "bedrock/eu.anthropic.claude-x", "hi"];
    let mut command = place.command(&args);
    command.env("AWS_PROFILE", "work").env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", &url);
    let out = command.stdin(std::process::Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "Grüezi from a frame ✓", "{said}");
    let received = served.join().unwrap();
    let authorization = received.header("authorization").unwrap();
    assert!(authorization.contains("Credential=AKIDPROFILE/"), "{authorization}");
    assert!(authorization.contains("/eu-north-1/bedrock/"), "{authorization}");
    assert_eq!(received.header("x-amz-security-token"), Some("token-half"));
}

#[test]
fn without_keys_a_cloud_says_what_to_set() {
    for (model, want) in [
        ("bedrock/us.anthropic.claude-x", "AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID"),
        ("vertex/claude-x", "GOOGLE_CLOUD_ACCESS_TOKEN"),
        ("azure/gpt-5", "AZURE_OPENAI_API_KEY"),
    ] {
        let place = Place::new(&[]);
        let mut command = place.command(&["run", "--quiet", "--model", model, "hi"]);
        let out = command.stdin(std::process::Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success() && said.contains(want), "{model}: {said}");
    }
}
