use super::*;
use proptest::prelude::*;
use std::time::Duration;
use tokio::time::Instant;

#[test]
fn pages_become_markdown() {
    for (name, html, want) in [
        ("empty", "", ""),
        ("text", "a &amp; b &lt;c&gt; &#228;", "a & b \\<c> \u{e4}\n"),
        ("headings and paragraphs", "<h1>A</h1><p>one<p>two", "# A\n\none\n\ntwo\n"),
        ("a title without a heading", "<title>\n A  page</title><p>x", "# A page\n\nx\n"),
        ("and not next to one", "<title>T</title><h1>H</h1>", "# H\n"),
        ("a link", "<p>see <a href='/x?a=1'>this</a>", "see [this](/x?a=1)\n"),
        ("a link to a script", "<a href='javascript:x()'>this</a>", "this\n"),
        ("a picture", "<img src=a.png alt='the \"A\"'>", "![the \\\"A\\\"](a.png)\n"),
        ("lists", "<ul><li>a<li>b<ol><li>c</ol></ul>", "*   a\n*   b\n    1.  c\n"),
        (
            "code",
            "<pre><code class=language-rs>let a = b &lt; c;\n  x</code></pre>",
            "```rs\nlet a = b < c;\n  x\n```\n",
        ),
        (
            "a table",
            "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
            "| a | b |\n| - | - |\n| 1 | 2 |\n",
        ),
        ("no scripts", "a<script>if (1 < 2) '</p>'</script><style>p{}</style>b", "ab\n"),
        ("no navigation", "<nav><ul><li><nav>x</nav>y</ul></nav><p>z", "z\n"),
        ("no drawings", "<svg><path d='M'/><svg></svg><text>x</text></svg>z", "z\n"),
        ("no comments", "a<!-- <p> -- > b -->c", "ac\n"),
        ("unknown elements", "<my-thing><x>a</x></my-thing> b", "a b\n"),
        ("wrong nesting", "<b>a<p>b</b>c</p>d", "**a\n\nb**\n\ncd\n"),
        ("tags that are none", "a < b, c <3 <> </> d", "a < b, c <3 <> d\n"),
        ("a tag that never ends", "a<p class='x", "a\n"),
        ("a quote that never ends", "<a href=\"x>b</a> c", "[](<x>b</a> c>)\n"),
        ("odd attributes", "<p =\"<b>\" a=b=c 'x>y</p>", "\" a=b=c 'x>y\n"),
    ] {
        assert_eq!(to_markdown(html), want, "{name}");
    }
}

#[test]
fn pages_made_to_harm_do_not() {
    let began = Instant::now();
    let n = 20_000;
    for (name, html) in [
        ("deep", "<div>".repeat(n)),
        ("deep tables", "<table><tr><td>".repeat(n)),
        ("deep lists", "<ul><li>".repeat(n)),
        (
            "formatting that multiplies",
            format!("{}{}", "<b><i><a href=x>".repeat(500), "<p>x".repeat(n)),
        ),
        ("ends without starts", "</div></p></b>".repeat(n)),
        ("elements that never end", "<svg>".repeat(n)),
        ("attributes without end", format!("<p {}", "a=b ".repeat(n))),
        ("brackets", "<".repeat(n)),
        ("comments that never end", "<!--".repeat(n)),
        ("blockquotes", "<blockquote>".repeat(n)),
    ] {
        let text = to_markdown(&format!("{html}end"));
        assert!(text.len() < 300 * n, "{name}: {}", text.len());
    }
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(256))]

    #[test]
    fn any_text_is_taken(html in "(<[a-z/!'\"= -]{0,9}>?|[<>&\"'a-c ]|<(p|li|ul|td|table|b|a|pre|code)>|\\PC){0,60}") {
        to_markdown(&html);
    }
}
