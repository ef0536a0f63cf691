use super::*;
use crate::catalog::{self, Api};
use pintle_base::ambient::{Ambient, Secret};

fn endpoint(provider: &str) -> Endpoint {
    let mut endpoint = match catalog::find(provider) {
        Some(_) => Endpoint::resolve(provider, &Ambient::fixed([]), Some("http://h.test")).unwrap(),
        None => Endpoint::new(provider, Api::Chat, "http://h.test"),
    };
    endpoint.key = Some(Secret::new("sk-very-secret"));
    endpoint
}

#[test]
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
fn recorded_errors_fall_into_their_classes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/provider-errors.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let provider = case["provider"].as_str().unwrap();
        let body = &case["body"];
        let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        let want = match case["class"].as_str().unwrap() {
            "rate_limit" => "rateLimit",
            "content_filter" => "contentFilter",
            "invalid" if body.contains("tool_use_failed") => "protocol",
            "invalid" => "invalidRequest",
            other => other,
        };
        let status = case["status"].as_u64().map_or(400, |status| u16::try_from(status).unwrap());
        let error = if status == 200 {
            in_stream(&endpoint(provider), &case["body"])
        } else {
            answer(&endpoint(provider), status, &[], body.as_bytes())
        };
        if error.kind.code() != want {
            wrong.push(format!("{provider} {status} want {want}: {error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cases.len(), 137, "all of the fixture is used");
}

#[test]
fn answers_that_are_no_answers() {
    for (status, body, kind, message, hint) in [
        (
            404,
            "<html><body>nginx</body>",
            ErrorKind::InvalidRequest,
            "a web page",
            "no model API at http://h.test/v1/chat/completions",
        ),
        (
            404,
            "404 page not found",
            ErrorKind::InvalidRequest,
            "404 page not found",
            "check the provider's base URL",
        ),
        (
            404,
            r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
            ErrorKind::InvalidRequest,
            "openai answered 404: The model `x` does not exist",
            "check the model's name",
        ),
        (
            404,
            r#"{"error":{"message":"Invalid URL (POST /v1/v1/chat/completions)","type":"invalid_request_error"}}"#,
            ErrorKind::InvalidRequest,
            "openai answered 404: Invalid URL",
            "no such path as http://h.test/v1/chat/completions; check the provider's base URL",
        ),
        (
            404,
            r#"{"detail":"Not Found"}"#,
            ErrorKind::InvalidRequest,
            "openai answered 404: Not Found",
            "no such path as http://h.test/v1/chat/completions; check the provider's base URL",
        ),
        (
            404,
            r#"{"error":{"message":"model \"qwen\" not found, try pulling it first"}}"#,
            ErrorKind::InvalidRequest,
            "try pulling it first",
            "check the model's name",
        ),
        (
            401,
            r#"{"error":{"message":"bad key sk-very-secret."}}"#,
            ErrorKind::Auth,
            "openai answered 401: bad key ***",
            "OPENAI_API_KEY",
        ),
        (403, "", ErrorKind::Auth, "no further word", "OPENAI_API_KEY"),
        (302, "", ErrorKind::InvalidRequest, "302", "redirects to https://elsewhere"),
        (
            200,
            "<!doctype html>",
            ErrorKind::InvalidRequest,
            "a web page",
            "check the provider's base URL",
        ),
        (200, r#"{"choices":[]}"#, ErrorKind::InvalidRequest, "answered 200: {", "no streaming"),
        (200, r#"{"error":{"message":"x","code":429}}"#, ErrorKind::RateLimit, "200: x", ""),
        (200, "", ErrorKind::Protocol, "no further word", ""),
        (502, "<html>Bad Gateway", ErrorKind::Overloaded, "a web page", ""),
        (408, "", ErrorKind::Timeout, "408", ""),
        (409, "", ErrorKind::Overloaded, "409", ""),
        (529, "", ErrorKind::Overloaded, "529", ""),
        (413, "", ErrorKind::Overflow, "no further word", ""),
        (
            400,
            r#"{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."}"#,
            ErrorKind::Overflow,
            "n_ctx: 4096",
            "",
        ),
        (
            400,
            r#"{"error":"Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}"#,
            ErrorKind::Overflow,
            "n_keep",
            "",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"invalid params, context window exceeds limit (2013)"}}"#,
            ErrorKind::Overflow,
            "exceeds limit",
            "",
        ),
        (
            400,
            r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)","type":"invalid_request_error"}}"#,
            ErrorKind::Overflow,
            "269030",
            "",
        ),
        (
            400,
            r#"{"code":20015,"message":"length of prompt_tokens (68957) must be less than max_seq_len (65536).","data":null}"#,
            ErrorKind::Overflow,
            "68957",
            "",
        ),
        (
            422,
            r#"{"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 40000 `inputs` tokens and 512 `max_new_tokens`","type":"invalid_request_error"}}"#,
            ErrorKind::Overflow,
            "40000",
            "",
        ),
        (
            400,
            r#"{"error":{"code":"1261","message":"Prompt too long for the model"}}"#,
            ErrorKind::Overflow,
            "too long",
            "",
        ),
        (
            400,
            r#"{"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 30720]"}}"#,
            ErrorKind::Overflow,
            "30720",
            "",
        ),
        (
            400,
            r#"{"object":"error","message":"The input (233781 tokens) is longer than the model's context length (202752 tokens).","type":"BadRequestError","code":400}"#,
            ErrorKind::Overflow,
            "233781",
            "",
        ),
        (
            400,
            r#"{"error":{"message":"The decoder prompt (length 163840) is longer than the maximum model length of 131072.","type":"BadRequestError","code":400}}"#,
            ErrorKind::Overflow,
            "163840",
            "",
        ),
        (
            400,
            r#"{"message":"Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."}"#,
            ErrorKind::Overflow,
            "160062",
            "",
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}"#,
            ErrorKind::Overflow,
            "exceeded",
            "",
        ),
        (504, "", ErrorKind::Timeout, "504", ""),
        (500, "[{\"error\":{\"message\":\"x\"}}]", ErrorKind::Overloaded, "answered 500: x", ""),
    ] {
        let headers = vec![("location".to_owned(), "https://elsewhere".to_owned())];
        let error = answer(&endpoint("openai"), status, &headers, body.as_bytes());
        assert_eq!(error.kind, kind, "{error:?}");
        assert_eq!(error.status, Some(status));
        assert!(error.message.contains(message), "{error:?}");
        let given = error.hint.clone().unwrap_or_default();
        assert!(given.contains(hint) && given.is_empty() == hint.is_empty(), "{error:?}");
        assert!(!format!("{error:?}").contains("very-secret"));
    }
}

#[test]
fn waiting_times_and_ids_are_found() {
    let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let millis = Duration::from_millis;
    for (headers, text, want) in [
        (header("retry-after", "2"), "", Some(millis(2000))),
        (header("retry-after-ms", "150"), "", Some(millis(150))),
        (
            vec![("retry-after-ms".into(), "0".into()), ("retry-after".into(), "1".into())],
            "",
            Some(millis(1000)),
        ),
        (header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), "", None),
        (
            vec![
                ("retry-after".into(), "Wed, 21 Oct 2026 07:28:00 GMT".into()),
                ("date".into(), "Wed, 21 Oct 2026 07:27:30 GMT".into()),
            ],
            "",
            Some(millis(30_000)),
        ),
        (
            vec![
                ("retry-after".into(), "Wed, 21 Oct 2026 07:28:00 GMT".into()),
                ("date".into(), "Wed, 21 Oct 2026 08:00:00 GMT".into()),
            ],
            "",
            Some(millis(0)),
        ),
        (header("retry-after", "soon"), "", None),
        (vec![], "Please retry in 48.93s.", Some(millis(48_930))),
        (vec![], "Please try again in 3.89s. Visit", Some(millis(3890))),
        (vec![], "try again in 174ms.", Some(millis(174))),
        (vec![], "try again in 9m38.016s", Some(millis(578_016))),
        (vec![], "try again in a while", None),
        (vec![], "no", None),
    ] {
        assert_eq!(retry_after(&headers, text), want, "{text}");
    }
    let google = |quota: &str, delay: &str| {
        let details = serde_json::json!([
            { "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{ "quotaId": quota }] },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay }
        ]);
        let error = serde_json::json!({ "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details.", "details": details });
        serde_json::json!([{ "error": error }]).to_string()
    };
    let busy = r#"{"error":{"type":"overloaded_error","message":"x"}}"#.to_owned();
    for (headers, body, status, kind, wait, is_retryable) in [
        (
            header("date", "x"),
            google("GenerateRequestsPerMinutePerProjectPerModel", "48s"),
            429,
            ErrorKind::RateLimit,
            Some(millis(48_000)),
            true,
        ),
        (
            header("date", "x"),
            google("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "12.5s"),
            429,
            ErrorKind::RateLimit,
            Some(millis(12_500)),
            false,
        ),
        (header("x-should-retry", "false"), busy.clone(), 529, ErrorKind::Overloaded, None, false),
        (
            header("x-should-retry", "true"),
            "{}".to_owned(),
            400,
            ErrorKind::InvalidRequest,
            None,
            true,
        ),
        (header("x-should-retry", "perhaps"), busy, 529, ErrorKind::Overloaded, None, true),
    ] {
        let error = answer(&endpoint("google"), status, &headers, body.as_bytes());
        assert_eq!((error.kind, error.retry_after), (kind, wait), "{error:?}");
        assert_eq!(error.is_retryable(), is_retryable, "{error:?}");
        assert_eq!(error.hint.is_some(), error.kind == ErrorKind::RateLimit && !is_retryable);
    }
    let body = br#"{"request_id":"req_1","error":{"type":"overloaded_error","message":"x"}}"#;
    let error = answer(&endpoint("anthropic"), 529, &[], body);
    assert_eq!((error.kind, error.request_id), (ErrorKind::Overloaded, Some("req_1".into())));
    let error = answer(&endpoint("anthropic"), 529, &header("request-id", "req_2"), body);
    assert_eq!(error.request_id.as_deref(), Some("req_2"));
}

#[test]
fn errors_of_amazon_are_classified() {
    let invalid = "ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/";
    for (status, name, message, kind, hint) in [
        (429, "ThrottlingException", "Too many requests", ErrorKind::RateLimit, ""),
        (400, invalid, "Input is too long for requested model.", ErrorKind::Overflow, ""),
        (400, invalid, "max_tokens: Field required", ErrorKind::InvalidRequest, ""),
        (
            400,
            invalid,
            "Invocation of model ID m with on-demand throughput isn't supported.",
            ErrorKind::InvalidRequest,
            "inference profile",
        ),
        (400, "ServiceQuotaExceededException", "quota", ErrorKind::InvalidRequest, ""),
        (
            403,
            "ExpiredTokenException",
            "The security token is expired",
            ErrorKind::Auth,
            "AWS_PROFILE",
        ),
        (403, "AccessDeniedException", "no access", ErrorKind::Auth, "may not invoke"),
        (
            404,
            "ResourceNotFoundException",
            "no such model",
            ErrorKind::InvalidRequest,
            "model's name",
        ),
        (408, "ModelTimeoutException", "slow", ErrorKind::Timeout, ""),
        (424, "ModelErrorException", "oops", ErrorKind::Overloaded, ""),
        (429, "ModelNotReadyException", "warming up", ErrorKind::Overloaded, ""),
        (503, "ServiceUnavailableException", "later", ErrorKind::Overloaded, ""),
        (0, "throttlingException", "Too many tokens", ErrorKind::RateLimit, ""),
        (0, "serviceQuotaExceededException", "quota", ErrorKind::RateLimit, ""),
        (0, "modelStreamErrorException", "broke", ErrorKind::Overloaded, ""),
        (0, "internalServerException", "broke", ErrorKind::Overloaded, ""),
        (0, "modelTimeoutException", "slow", ErrorKind::Timeout, ""),
        (0, "validationException", "bad", ErrorKind::InvalidRequest, ""),
    ] {
        let vars = [
            ("AWS_ACCESS_KEY_ID", "AK"),
            ("AWS_SECRET_ACCESS_KEY", "SK"),
            ("AWS_REGION", "us-east-1"),
        ];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let endpoint = Endpoint::resolve("bedrock", &Ambient::fixed(vars), None).unwrap();
        let error = if status == 0 {
            let error = serde_json::json!({ "type": name, "message": message });
            in_stream(&endpoint, &serde_json::json!({ "type": "error", "error": error }))
        } else {
            let headers = [("x-amzn-errortype", name), ("x-amzn-requestid", "r-1")];
            let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let body = serde_json::json!({ "message": message }).to_string();
            answer(&endpoint, status, &headers, body.as_bytes())
        };
        assert_eq!(error.kind, kind, "{name}: {error:?}");
        assert!(error.message.contains(message.trim_end_matches('.')), "{error:?}");
        let given = error.hint.clone().unwrap_or_default();
        assert!(given.contains(hint) && given.is_empty() == hint.is_empty(), "{error:?}");
        assert_eq!(error.request_id.as_deref(), (status > 0).then_some("r-1"));
    }
}

#[test]
fn a_short_key_is_not_masked_inside_words() {
    for (key, said, want) in [
        ("x", "the prefix x is not next", "the prefix x is not next"),
        ("EMPTY", "EMPTY is not valid", "EMPTY is not valid"),
        ("abcdefgh", "no abcdefgh here", "no *** here"),
    ] {
        let mut endpoint = endpoint("own");
        endpoint.key = Some(Secret::new(key));
        let body = format!("{{\"error\":{{\"message\":\"{said}\"}}}}");
        let error = answer(&endpoint, 400, &[], body.as_bytes());
        assert_eq!(error.message, format!("own answered 400: {want}"));
    }
}

#[test]
fn a_refusal_without_a_word_is_only_guessed_to_be_an_overflow() {
    for (status, body, want) in [
        (400, "", Some(true)),
        (413, "", Some(false)),
        (400, r#"{"error":{"message":"prompt is too long: 3 tokens > 2 maximum"}}"#, Some(false)),
        (422, "", None),
        (
            400,
            r#"{"error":{"message":"your messages exceed the length that m can read"}}"#,
            Some(true),
        ),
        (500, r#"{"error":{"message":"input of 9000 tokens does not fit"}}"#, Some(true)),
        (400, r#"{"error":{"message":"the context window is limited to 8k"}}"#, Some(true)),
        (400, r#"{"error":{"message":"max_tokens is too large: 9000"}}"#, None),
        (400, r#"{"error":{"message":"temperature exceeds the maximum of 2"}}"#, None),
        (400, r#"{"error":{"message":"tool name is too long"}}"#, None),
        (503, r#"{"error":{"message":"input limit reached, too many tokens in flight"}}"#, None),
    ] {
        let error = answer(&endpoint("cerebras"), status, &[], body.as_bytes());
        let got = (error.kind == ErrorKind::Overflow).then_some(error.is_guess);
        assert_eq!(got, want, "{status} {body}");
    }
}
