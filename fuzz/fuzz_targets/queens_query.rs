#![no_main]

#[path = "../read.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod read;

libfuzzer_sys::fuzz_target!(|data: &[u8]| read::query("/queens", data));
