//! Searches for bytes that break a property of patches.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| garth_fuzz::patch::check(data));
