//! What people complain about in today's protocols between agents and their clients, and the rows that answer each. The test holds the register to
//! the rows: a name that no row has fails.

use std::collections::BTreeSet;
use std::path::Path;

/// A complaint: its number, what goes wrong elsewhere, and the rows that show that it does not here.
type Complaint = (u32, &'static str, &'static [&'static str]);

const COMPLAINTS: [Complaint; 38] = [
    (
        1,
        "updates come after the response that ends the turn",
        &["acp::a_turn_is_told_before_its_prompt_is_answered"],
    ),
    (
        2,
        "nobody says what ends a turn",
        &[
            "acp::why_a_turn_ended_is_told_in_the_words_of_the_protocol",
            "acp_clients::agent_shell_hears_of_a_turn_only_in_that_turn",
        ],
    ),
    (
        3,
        "responses overtake events",
        &[
            "wire::answers_come_before_what_they_cause_and_numbers_have_no_gaps",
            "lifecycle::the_response_to_close_follows_the_last_event_also_for_a_client_that_is_slow",
        ],
    ),
    (
        4,
        "an event names a session that the client has not been told of",
        &["acp_clients::zed_knows_a_session_before_it_hears_of_it_and_follows_edits"],
    ),
    (
        5,
        "a message for people comes as the model's text",
        &["acp_told::a_provider_that_fails_is_told_as_a_notice_or_a_thought"],
    ),
    (
        6,
        "a turn does not end after the conversation was summed up",
        &[
            "acp_sessions::a_conversation_is_summed_up_on_demand",
            "compaction::a_full_window_is_summed_up_and_the_turn_goes_on",
        ],
    ),
    (
        7,
        "what happens between reading the history and subscribing is lost",
        &[
            "acp_sessions::whatever_happens_while_a_session_is_loaded_is_told_once",
            "shared_links::a_client_that_was_cut_off_knows_what_one_knows_that_never_left",
        ],
    ),
    (
        8,
        "events that were dropped damage the session",
        &[
            "wire::what_is_sent_what_is_stored_and_what_is_read_again_are_the_same",
            "lifecycle::a_client_that_does_not_read_holds_nothing_up_and_is_told_what_it_missed",
        ],
    ),
    (
        9,
        "a client that goes is taken for the end of the work",
        &["shared::a_client_that_goes_stops_nothing_and_its_question_waits"],
    ),
    (
        10,
        "a reconnection loses what came meanwhile, and nobody is told",
        &[
            "shared_links::a_client_cut_off_at_every_event_by_stdio_reads_the_same",
            "lifecycle::a_client_that_does_not_read_holds_nothing_up_and_is_told_what_it_missed",
        ],
    ),
    (
        11,
        "a run ends without a result, or hangs",
        &[
            "cli::run_tells_every_end_by_its_exit_code",
            "lifecycle::after_a_kill_the_turn_is_closed_and_no_call_runs_twice",
        ],
    ),
    (
        12,
        "nothing can be said to a running turn",
        &[
            "acp_sessions::a_message_for_the_running_turn_goes_into_it",
            "matrix::each_family_is_steered_in_the_middle_of_its_work",
        ],
    ),
    (
        13,
        "a steer that comes late works on with no owner",
        &["requests::a_steer_while_nothing_runs_is_kept_where_the_client_wants_it"],
    ),
    (
        14,
        "queued messages are gone after a restart",
        &[
            "lifecycle::after_a_kill_the_turn_is_closed_and_no_call_runs_twice",
            "acp_sessions::a_prompt_that_a_killed_engine_accepted_is_told_and_read_with_the_next",
        ],
    ),
    (
        15,
        "a message in the queue jumps ahead",
        &[
            "queue::a_queued_prompt_can_be_sent_now_and_a_steer_can_wait",
            "conformance::a_steer_before_a_follow_up",
        ],
    ),
    (
        16,
        "a stop is ignored",
        &[
            "cancel::a_stop_ends_the_turn_wherever_it_waits",
            "wire::bad_input_gets_its_error_and_the_engine_lives_on",
        ],
    ),
    (
        17,
        "a denial cannot say why",
        &[
            "permissions::a_no_goes_to_the_model_with_what_was_said",
            "acp::a_denial_can_be_given_words_where_forms_are_shown",
        ],
    ),
    (
        18,
        "nobody knows how far \"always\" reaches",
        &["acp::every_answer_to_a_permission_is_taken_for_what_it_is"],
    ),
    (
        19,
        "questions of the model cannot be answered, or a plan is accepted by itself",
        &[
            "acp::a_question_is_a_form_or_a_menu",
            "acp_told::a_plan_is_accepted_in_the_menu_of_permissions_and_changes_the_mode",
            "questions::a_question_that_nobody_can_answer_is_not_waited_for",
        ],
    ),
    (
        20,
        "permissions hang once the input has ended",
        &[
            "lifecycle::at_the_end_of_input_what_would_ask_is_denied",
            "permissions::a_call_that_nobody_decides_about_in_time_is_denied",
        ],
    ),
    (
        21,
        "questions of sub-agents reach nobody",
        &["acp_told::a_sub_agent_asks_in_the_session_that_the_client_knows"],
    ),
    (
        22,
        "the editor's files are passed by",
        &[
            "acp_files::what_is_on_the_screen_is_read_and_changed",
            "acp_files::an_editor_that_offers_one_way_is_asked_nothing",
        ],
    ),
    (
        23,
        "unsaved text is read and the disk is written",
        &[
            "documents::every_tool_reads_what_is_on_the_screen_and_commands_are_told_to_be_blind",
            "acp_files::files_keep_their_line_ends_and_those_elsewhere_are_the_disk_s",
        ],
    ),
    (
        24,
        "a change of a line is told as two whole files",
        &[
            "acp_told::a_question_about_a_change_shows_it_in_place",
            "acp::the_text_of_a_new_file_is_sent_once_in_the_arguments_and_once_as_a_diff",
        ],
    ),
    (25, "output is shown only at the end", &["acp::a_command_asks_runs_and_shows_what_it_prints"]),
    (
        26,
        "models, modes and efforts cannot be chosen, or the choice is ignored",
        &[
            "acp::modes_options_and_models_are_one_thing",
            "acp_clients::avante_sets_a_model_by_a_method_that_is_no_more",
        ],
    ),
    (
        27,
        "nothing can be gone back to",
        &[
            "rewind::files_go_back_across_a_command_and_forward_again",
            "acp_sessions::the_engine_s_own_methods_are_answered_under_its_name",
        ],
    ),
    (
        28,
        "a place of the history is named by a count",
        &["history::a_steer_can_be_gone_back_before_in_the_middle_of_its_turn"],
    ),
    (
        29,
        "a session that is loaded is empty or cut",
        &["acp_sessions::sessions_are_listed_loaded_resumed_closed_and_deleted"],
    ),
    (
        30,
        "a long history comes all at once",
        &["items::items_are_read_in_pages_along_the_way_that_counts"],
    ),
    (
        31,
        "a second client sees nothing",
        &[
            "shared::the_first_answer_counts_and_clients_of_every_kind_are_told",
            "shared::a_client_that_comes_in_the_middle_of_a_reply_reads_it_from_the_beginning",
        ],
    ),
    (
        32,
        "servers of one session leak into another",
        &["acp_clients::servers_of_mcp_serve_the_session_that_names_them"],
    ),
    (
        33,
        "one session a process, and no permissions",
        &[
            "pi_rpc_sessions::sessions_are_made_switched_forked_and_copied",
            "pi_rpc_commands::a_permission_is_a_dialog_and_no_answer_is_a_no",
        ],
    ),
    (
        34,
        "the records of a run change without a version",
        &["cli::run_as_events_is_the_journal_between_a_header_and_a_result"],
    ),
    (
        35,
        "the end of an item lacks what its deltas said",
        &["wire::what_is_sent_what_is_stored_and_what_is_read_again_are_the_same"],
    ),
    (
        36,
        "a schema of the result is ignored, and the run succeeds without a result",
        &["requests::a_turn_with_a_schema_ends_with_a_value_or_fails"],
    ),
    (
        37,
        "without a flag nobody knows the program waits at a terminal",
        &["cli::without_a_command_and_a_terminal_it_says_how_to_go_on"],
    ),
    (38, "batches come and go", &["wire::bad_input_gets_its_error_and_the_engine_lives_on"]),
];

/// The rows of these tests, as `file::name`.
fn rows(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rows(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let file = path.file_stem().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            found.extend(words.map(|name| format!("{file}::{name}")));
        }
    }
}

#[test]
fn each_complaint_is_answered_by_a_row_that_exists() {
    let mut found = BTreeSet::new();
    rows(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), &mut found);
    for (place, (number, complaint, answers)) in COMPLAINTS.iter().enumerate() {
        assert_eq!(*number as usize, place + 1, "{complaint}");
        assert!(!answers.is_empty(), "{complaint}");
        for answer in *answers {
            assert!(found.contains(*answer), "{number}: no row {answer}");
        }
    }
}
