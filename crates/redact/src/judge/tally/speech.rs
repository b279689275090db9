//! Whether a run of letters can be spoken, and where words and numbers begin: one step a byte, in
//! tables that were made before.

use super::row::{CAPITAL, CONSONANT, DIGIT, LETTER, MARK, RAISED, SMALL};

/// Consonants of one word that nobody speaks.
const TOO_MANY: u8 = 5;

/// Letters of a run that is long.
const LONG: u8 = 8;

/// How far one is in a run of letters: so many letters, of which so many consonants of one word are
/// the last, and whether the last letter is a small one. Where there were too many consonants, only
/// the letters count.
#[derive(Clone, Copy)]
struct Run {
    letters: u8,
    consonants: u8,
    small: bool,
}

impl Run {
    /// Its number.
    const fn state(self) -> u8 {
        (self.letters * (TOO_MANY + 1) + self.consonants) * 2 + self.small as u8
    }

    const fn then(self, sound: u8) -> Self {
        if sound & LETTER == 0 {
            return Self { letters: 0, consonants: 0, small: false };
        }
        let letters = if self.letters < LONG { self.letters + 1 } else { LONG };
        let raised = sound & RAISED != 0;
        let hump = self.small && raised;
        let consonants = if self.consonants == TOO_MANY {
            TOO_MANY
        } else if sound & CONSONANT == 0 {
            0
        } else if hump {
            1
        } else {
            self.consonants + 1
        };
        // Once there were too many, it does not matter any more.
        let small = !raised && consonants < TOO_MANY;
        Self { letters, consonants, small }
    }
}

/// From here on all states are of a long run that cannot be spoken.
const UNSPEAKABLE: u8 = Run { letters: LONG, consonants: TOO_MANY, small: false }.state();

/// Numbers of states and sounds together: a power of two, so that a place is never outside.
const PLACES: usize = 1 << 10;
const _: () = assert!((UNSPEAKABLE as usize + 2) << 3 <= PLACES, "there is room for every state");

/// Where one is in a run of letters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Speech(u8);

impl Speech {
    /// Says whether the run is long and cannot be spoken, now that a byte follows.
    #[inline(always)]
    pub(super) fn step(&mut self, sound: u8) -> bool {
        let place = usize::from(self.0) << 3 | usize::from(sound);
        self.0 = STEPS.get(place % PLACES).copied().unwrap_or_default();
        self.0 >= UNSPEAKABLE
    }
}

static STEPS: [u8; PLACES] = steps();

#[expect(clippy::indexing_slicing, reason = "a state and a sound are below the length")]
const fn steps() -> [u8; PLACES] {
    let mut steps = [0; PLACES];
    let mut letters = 0;
    while letters <= LONG {
        let mut consonants = 0;
        while consonants <= TOO_MANY {
            let mut sound = 0_u8;
            while sound < 16 {
                let run = Run { letters, consonants, small: sound & 8 != 0 };
                let place = (run.state() as usize) << 3 | (sound & 7) as usize;
                steps[place] = run.then(sound & 7).state();
                sound += 1;
            }
            consonants += 1;
        }
        letters += 1;
    }
    steps
}

/// Where words and numbers are counted.
pub(super) const WORDS: u64 = 0;
pub(super) const NUMBERS: u64 = 8;

/// What the last three bytes were, two bits each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// The word or number that begins with a byte of a kind.
    #[inline(always)]
    pub(super) fn step(&mut self, kind: u8) -> u64 {
        self.0 = (self.0 << 2 | kind) & 63;
        BEGINS.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

static BEGINS: [u64; 64] = begins();

#[expect(clippy::indexing_slicing, reason = "three kinds are below the length")]
const fn begins() -> [u64; 64] {
    let mut begins = [0; 64];
    let mut kinds = 0_u8;
    while kinds < 64 {
        let [before, last, kind] = [kinds >> 4, kinds >> 2 & 3, kinds & 3];
        let apart = last == MARK || last == DIGIT;
        begins[kinds as usize] = match kind {
            DIGIT => ((last != DIGIT) as u64) << NUMBERS,
            // The `S` of `HTTPServer` shows by the letter behind it.
            SMALL => ((apart || (last == CAPITAL && before == CAPITAL)) as u64) << WORDS,
            CAPITAL => ((apart || last == SMALL) as u64) << WORDS,
            _ => 0,
        };
        kinds += 1;
    }
    begins
}
