//! An assembler for seccomp filter programs: instructions with labels, resolved into jumps.
//!
//! The kernel runs a filter once for each system call number when it is installed, and again for each call that it does not always allow.
//! Numbers are therefore found by binary search instead of a chain of comparisons.
//!
//! The crate `seccompiler` does not fit: it has no action that notifies a supervisor (`SECCOMP_RET_USER_NOTIF`), and it compares call
//! numbers one by one.

use nix::libc::{self, sock_filter};
use std::collections::BTreeMap;

/// A place in a program to jump to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// A place that [`Assembler::place`] sets.
    At(u32),
    /// The end, with this answer to the kernel.
    Return(u32),
}

/// The answer that lets a call through.
pub(super) const ALLOW: Label = Label::Return(libc::SECCOMP_RET_ALLOW);

/// The answer that ends the program.
pub(super) const KILL: Label = Label::Return(libc::SECCOMP_RET_KILL_PROCESS);

/// Returns the answer that fails a call.
pub(super) fn fail(errno: libc::c_int) -> Label {
    Label::Return(libc::SECCOMP_RET_ERRNO | errno.unsigned_abs())
}

/// A word of the call data that a filter sees.
#[derive(Debug, Clone, Copy)]
pub(super) enum Word {
    Number,
    Architecture,
    /// The low half of an argument.
    Argument(u32),
}

impl Word {
    /// Returns the word's offset in bytes in `struct seccomp_data`, on a little-endian machine.
    fn offset(self) -> u32 {
        match self {
            Self::Number => 0,
            Self::Architecture => 4,
            Self::Argument(index) => 16 + 8 * index,
        }
    }
}

/// A comparison of the word that was loaded last.
#[derive(Debug, Clone, Copy)]
pub(super) enum Is {
    Equal(u32),
    AtLeast(u32),
    /// The word has at least one of these bits.
    AnyOf(u32),
}

const LOAD: u16 = 0x20;
const RETURN: u16 = 0x06;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP_IF_ANY_OF: u16 = 0x45;

#[derive(Debug)]
enum Instruction {
    Load(Word),
    /// Jumps to the first label if the comparison succeeds, and to the second otherwise.
    Jump(Is, Label, Label),
}

/// A program under construction.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    code: Vec<Instruction>,
    places: BTreeMap<Label, usize>,
    labels: u32,
}

impl Assembler {
    /// Returns a label that is yet to be placed.
    pub(super) fn label(&mut self) -> Label {
        self.labels += 1;
        Label::At(self.labels)
    }

    /// Places a label before the next instruction.
    pub(super) fn place(&mut self, label: Label) {
        self.places.insert(label, self.code.len());
    }

    pub(super) fn load(&mut self, word: Word) {
        self.code.push(Instruction::Load(word));
    }

    /// Jumps to `then` if the comparison succeeds, and to `otherwise` if not.
    pub(super) fn jump(&mut self, is: Is, then: Label, otherwise: Label) {
        self.code.push(Instruction::Jump(is, then, otherwise));
    }

    /// Jumps to `then` if the comparison succeeds, and falls through if not.
    pub(super) fn jump_if(&mut self, is: Is, then: Label) {
        let next = self.label();
        self.jump(is, then, next);
        self.place(next);
    }

    /// Jumps to the loaded number's label, or to `otherwise`. The numbers are sorted.
    pub(super) fn search(&mut self, numbers: &[(u32, Label)], otherwise: Label) {
        match numbers {
            [] => {}
            [(number, label)] => self.jump(Is::Equal(*number), *label, otherwise),
            _ => {
                let (low, high) = numbers.split_at(numbers.len() / 2);
                let (upper, lower) = (self.label(), self.label());
                let first = high.first().map_or(0, |(number, _)| *number);
                self.jump(Is::AtLeast(first), upper, lower);
                self.place(lower);
                self.search(low, otherwise);
                self.place(upper);
                self.search(high, otherwise);
            }
        }
    }

    /// Resolves the labels. Returns `None` if a jump is too far, or a label was not placed.
    pub(super) fn assemble(mut self) -> Option<Vec<sock_filter>> {
        let mut returns = Vec::new();
        for instruction in &self.code {
            let Instruction::Jump(_, then, otherwise) = instruction else { continue };
            for label in [*then, *otherwise] {
                if let Label::Return(answer) = label
                    && !self.places.contains_key(&label)
                {
                    self.places.insert(label, self.code.len() + returns.len());
                    returns.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: answer });
                }
            }
        }
        let places = &self.places;
        let code = self.code.iter().enumerate().map(|(at, instruction)| match instruction {
            Instruction::Load(word) => {
                Some(sock_filter { code: LOAD, jt: 0, jf: 0, k: word.offset() })
            }
            Instruction::Jump(is, then, otherwise) => {
                let (code, k) = match *is {
                    Is::Equal(k) => (JUMP_IF_EQUAL, k),
                    Is::AtLeast(k) => (JUMP_IF_AT_LEAST, k),
                    Is::AnyOf(k) => (JUMP_IF_ANY_OF, k),
                };
                // Jumps lead forward, and count from the next instruction.
                let far =
                    |label: &Label| u8::try_from(places.get(label)?.checked_sub(at + 1)?).ok();
                Some(sock_filter { code, jt: far(then)?, jf: far(otherwise)?, k })
            }
        });
        let mut program: Vec<sock_filter> = code.collect::<Option<_>>()?;
        program.extend(returns);
        Some(program)
    }
}

/// Runs a program on a call as the kernel does. Returns its answer.
#[cfg(test)]
pub(super) fn run(
    program: &[sock_filter],
    architecture: u32,
    number: u32,
    arguments: [u64; 6],
) -> u32 {
    let mut data = [0_u32; 16];
    (data[0], data[1]) = (number, architecture);
    for (at, argument) in arguments.into_iter().enumerate() {
        data[4 + 2 * at] = u32::try_from(argument & 0xffff_ffff).unwrap();
        data[5 + 2 * at] = u32::try_from(argument >> 32).unwrap();
    }
    let (mut at, mut word) = (0, 0);
    loop {
        let sock_filter { code, jt, jf, k } = program[at];
        let holds = match code {
            LOAD => {
                word = data[usize::try_from(k).unwrap() / 4];
                at += 1;
                continue;
            }
            RETURN => return k,
            JUMP_IF_EQUAL => word == k,
            JUMP_IF_AT_LEAST => word >= k,
            JUMP_IF_ANY_OF => word & k != 0,
            other => panic!("instruction {other:#x}"),
        };
        at += 1 + usize::from(if holds { jt } else { jf });
    }
}
