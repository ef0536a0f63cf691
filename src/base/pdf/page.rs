//! Extracts a page's text in content order. Positions determine line and word breaks.

use super::font::{Font, float};
use super::{MAX_STREAM_BYTES, MAX_TEXT_BYTES, MAX_WORDS, words};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The maximum number of operations in a document. A page of text has a few thousand.
const MAX_OPERATIONS: usize = 20_000_000;

/// The maximum size of all content streams of a document.
const MAX_CONTENT_BYTES: usize = 512 * 1024 * 1024;

/// The maximum depth of forms, which are content shown by other content.
const MAX_FORM_DEPTH: usize = 8;

/// The maximum number of saved states. PDF readers need to support 28.
const MAX_STATES: usize = 512;

/// The maximum depth of the page tree, whose nodes pass their resources on to pages.
const MAX_TREE_DEPTH: usize = 64;

/// Extracts a document's text, page by page.
pub(super) struct Reader<'a> {
    document: &'a Document,
    stop: &'a AtomicBool,
    fonts: HashMap<ObjectId, Rc<Font<'a>>>,
    operations_left: usize,
    content_bytes_left: usize,
}

/// A map from a coordinate system to another: `[a b c d e f]` of PDF, with `x' = ax + cy + e` and `y' = bx + dy + f`.
#[derive(Debug, Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Returns the map that applies `self` first, then `next`.
    fn then(self, next: Self) -> Self {
        let [xx, xy, yx, yy, dx, dy] = self.0;
        let (across, up, origin) = (next.turn(xx, xy), next.turn(yx, yy), next.apply(dx, dy));
        Self([across.0, across.1, up.0, up.1, origin.0, origin.1])
    }

    fn shifted(self, x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y]).then(self)
    }

    fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [.., dx, dy] = self.0;
        let turned = self.turn(x, y);
        (turned.0 + dx, turned.1 + dy)
    }

    /// Applies the map to a direction.
    fn turn(self, x: f64, y: f64) -> (f64, f64) {
        let [xx, xy, yx, yy, ..] = self.0;
        (xx * x + yx * y, xy * x + yy * y)
    }
}

/// The state that content saves and restores.
#[derive(Clone)]
struct State<'a> {
    /// From the content's coordinates to the page's.
    page: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    /// The horizontal scale; 1 is normal.
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// The text so far.
#[derive(Debug, Default)]
struct Shown {
    text: String,
    /// The position after the last string and its font size.
    end: Option<((f64, f64), f64)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(document: &'a Document, stop: &'a AtomicBool) -> Self {
        Self {
            document,
            stop,
            fonts: HashMap::new(),
            operations_left: MAX_OPERATIONS,
            content_bytes_left: MAX_CONTENT_BYTES,
        }
    }

    /// Returns true if the document exceeds the limits, so that further pages would be incomplete.
    pub(super) fn is_exhausted(&self) -> bool {
        self.operations_left == 0 || self.content_bytes_left == 0
    }

    /// Returns a page's text, or `None` if its content is damaged or too large.
    pub(super) fn page(&mut self, id: ObjectId) -> Option<String> {
        self.document.get_dictionary(id).ok()?;
        for content in self.document.get_page_contents(id) {
            self.document.get_object(content).and_then(Object::as_stream).ok()?;
        }
        let content = self.document.get_page_content_with_limit(id, MAX_STREAM_BYTES).ok()?;
        if has_too_many_words(&content) {
            return None;
        }
        let state = State {
            page: Matrix::IDENTITY,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut shown = Shown::default();
        self.run(&content, self.resources(id), state, &mut shown, 0);
        Some(shown.finish())
    }

    /// The page's resources, or those of its nearest ancestor.
    fn resources(&self, id: ObjectId) -> Option<&'a Dictionary> {
        let document = self.document;
        let mut node = document.get_dictionary(id).ok()?;
        for _ in 0..MAX_TREE_DEPTH {
            let found = node.get_deref(b"Resources", document).and_then(Object::as_dict);
            if let Ok(resources) = found {
                return Some(resources);
            }
            node = node.get_deref(b"Parent", document).and_then(Object::as_dict).ok()?;
        }
        None
    }

    fn run(
        &mut self,
        content: &[u8],
        resources: Option<&'a Dictionary>,
        mut state: State<'a>,
        shown: &mut Shown,
        depth: usize,
    ) {
        self.content_bytes_left = self.content_bytes_left.saturating_sub(content.len());
        let mut saved = Vec::new();
        let (mut line, mut at) = (Matrix::IDENTITY, Matrix::IDENTITY);
        for operation in Content::decode_iter(content) {
            // What precedes an error is still text.
            let Ok(Operation { operator, operands }) = operation else { return };
            self.operations_left = self.operations_left.saturating_sub(1);
            let is_over = self.is_exhausted() || shown.text.len() > MAX_TEXT_BYTES;
            if is_over || self.stop.load(Ordering::Relaxed) {
                return;
            }
            let number = |index: usize| operands.get(index).map_or(0.0, float);
            match operator.as_str() {
                "q" if saved.len() < MAX_STATES => saved.push(state.clone()),
                "Q" => state = saved.pop().unwrap_or(state),
                "cm" => state.page = matrix(&operands).then(state.page),
                "BT" => (line, at) = (Matrix::IDENTITY, Matrix::IDENTITY),
                "Tf" => {
                    state.font = operands.first().and_then(|name| self.font(resources, name));
                    state.size = number(1);
                }
                "Tc" => state.char_space = number(0),
                "Tw" => state.word_space = number(0),
                "Tz" => state.stretch = number(0) / 100.0,
                "TL" => state.leading = number(0),
                "Ts" => state.rise = number(0),
                "Tm" => (line, at) = (matrix(&operands), matrix(&operands)),
                "Td" | "TD" => {
                    if operator == "TD" {
                        state.leading = -number(1);
                    }
                    line = line.shifted(number(0), number(1));
                    at = line;
                }
                "T*" | "'" | "\"" => {
                    if operator == "\"" {
                        (state.word_space, state.char_space) = (number(0), number(1));
                    }
                    line = line.shifted(0.0, -state.leading);
                    at = line;
                    if let Some(Object::String(bytes, _)) = operands.last() {
                        at = shown.show(bytes, &state, at);
                    }
                }
                "Tj" => {
                    if let Some(Object::String(bytes, _)) = operands.first() {
                        at = shown.show(bytes, &state, at);
                    }
                }
                "TJ" => {
                    let Some(Object::Array(items)) = operands.first() else { continue };
                    for item in items {
                        at = match item {
                            Object::String(bytes, _) => shown.show(bytes, &state, at),
                            _ => {
                                at.shifted(-float(item) / 1000.0 * state.size * state.stretch, 0.0)
                            }
                        };
                    }
                }
                "Do" if depth < MAX_FORM_DEPTH => {
                    let form = operands.first().and_then(|name| self.form(resources, name));
                    if let Some(form) = form {
                        self.show_form(form, resources, &state, shown, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn show_form(
        &mut self,
        form: &'a Stream,
        resources: Option<&'a Dictionary>,
        state: &State<'a>,
        shown: &mut Shown,
        depth: usize,
    ) {
        let max_bytes = MAX_STREAM_BYTES.min(self.content_bytes_left);
        let Ok(content) = form.get_plain_content_with_limit(max_bytes) else { return };
        if has_too_many_words(&content) {
            return;
        }
        let own = form.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict);
        let placed = form.dict.get_deref(b"Matrix", self.document).and_then(Object::as_array);
        let placed = placed.map_or(Matrix::IDENTITY, |numbers| matrix(numbers));
        let state = State { page: placed.then(state.page), ..state.clone() };
        self.run(&content, own.ok().or(resources), state, shown, depth + 1);
    }

    /// Returns an entry in a category of resources, and its id if it has one.
    fn resource(
        &self,
        resources: Option<&'a Dictionary>,
        category: &[u8],
        name: &Object,
    ) -> Option<(Option<ObjectId>, &'a Object)> {
        let document = self.document;
        let category = resources?.get_deref(category, document).and_then(Object::as_dict).ok()?;
        document.dereference(category.get(name.as_name().ok()?).ok()?).ok()
    }

    fn form(&self, resources: Option<&'a Dictionary>, name: &Object) -> Option<&'a Stream> {
        let form = self.resource(resources, b"XObject", name)?.1.as_stream().ok()?;
        let is_form = form.dict.get(b"Subtype").and_then(Object::as_name).ok()? == b"Form";
        is_form.then_some(form)
    }

    fn font(&mut self, resources: Option<&'a Dictionary>, name: &Object) -> Option<Rc<Font<'a>>> {
        let (id, font) = self.resource(resources, b"Font", name)?;
        if let Some(font) = id.and_then(|id| self.fonts.get(&id)) {
            return Some(Rc::clone(font));
        }
        let font = Rc::new(Font::read(font.as_dict().ok()?, self.document));
        if let Some(id) = id {
            self.fonts.insert(id, Rc::clone(&font));
        }
        Some(font)
    }
}

/// Returns true if an operation of this content may have too many operands: the library keeps those of one operation in memory.
fn has_too_many_words(content: &[u8]) -> bool {
    words(content, MAX_WORDS) == MAX_WORDS
}

fn matrix(numbers: &[Object]) -> Matrix {
    let mut matrix = [0.0; 6];
    for (place, number) in matrix.iter_mut().zip(numbers) {
        *place = float(number);
    }
    Matrix(matrix)
}

impl Shown {
    /// Shows a string, and returns the text position after it.
    fn show(&mut self, bytes: &[u8], state: &State<'_>, at: Matrix) -> Matrix {
        let Some(font) = &state.font else { return at };
        let mut text = String::new();
        let glyphs = font.write(bytes, &mut text);
        let advance: f64 = glyphs
            .iter()
            .map(|glyph| {
                let word_space = if glyph.is_space { state.word_space } else { 0.0 };
                (glyph.width * state.size + state.char_space + word_space) * state.stretch
            })
            .sum();
        let page = at.then(state.page);
        let (across, up) = (page.turn(1.0, 0.0), page.turn(0.0, 1.0));
        let (start, size) = (page.apply(0.0, state.rise), (up.0.hypot(up.1) * state.size).abs());
        let length = across.0.hypot(across.1);
        let direction = (across.0 / length, across.1 / length);
        self.separate(start, size, direction, text.starts_with(' '));
        for character in text.chars() {
            self.push(character);
        }
        let next = at.shifted(advance, 0.0);
        let end = next.then(state.page).apply(0.0, state.rise);
        self.end = Some((end, size));
        next
    }

    /// Ends a line or a word if the next string is not adjacent to the last one.
    fn separate(&mut self, start: (f64, f64), size: f64, direction: (f64, f64), is_spaced: bool) {
        /// A gap is a space from this part of the font size on. Spaces are a quarter of it in most fonts, and rarely less than a sixth.
        const WORD: f64 = 0.15;
        /// A string is on another line from this part of the font size on. Indices are shifted by less.
        const LINE: f64 = 0.5;
        /// Lines of a paragraph are at most twice the font size apart.
        const PARAGRAPH: f64 = 2.0;
        let Some((end, last_size)) = self.end else { return };
        let (x, y) = (start.0 - end.0, start.1 - end.1);
        let size = size.max(last_size);
        let along = x * direction.0 + y * direction.1;
        let across = (x * direction.1 - y * direction.0).abs();
        if across > PARAGRAPH * size {
            self.text.push_str("\n\n");
        } else if across > LINE * size {
            self.text.push('\n');
        } else if (along > WORD * size || along < -size)
            && !is_spaced
            && !self.text.ends_with([' ', '\n'])
        {
            self.text.push(' ');
        }
    }

    fn push(&mut self, character: char) {
        match character {
            'ﬀ' => self.text.push_str("ff"),
            'ﬁ' => self.text.push_str("fi"),
            'ﬂ' => self.text.push_str("fl"),
            'ﬃ' => self.text.push_str("ffi"),
            'ﬄ' => self.text.push_str("ffl"),
            'ﬅ' | 'ﬆ' => self.text.push_str("st"),
            '\t' | '\u{a0}' => self.text.push(' '),
            _ if character.is_control() => {}
            _ => self.text.push(character),
        }
    }

    /// Returns the text without spaces at line ends and without more than one empty line in a row.
    fn finish(self) -> String {
        let mut text = String::new();
        let mut is_gap = true;
        for line in self.text.lines().map(str::trim_end) {
            if !(line.is_empty() && is_gap) {
                text.push_str(line);
                text.push('\n');
            }
            is_gap = line.is_empty();
        }
        text.truncate(text.trim_end().len());
        text
    }
}
