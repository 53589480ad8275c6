//! Writes `openapi.yaml` as JSON, for tools that don't read YAML. Here, so that the program needs no reader of YAML.

#![allow(clippy::print_stdout, reason = "this is how Cargo is told things")]

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=openapi.yaml");
    let yaml = fs::read_to_string("openapi.yaml").expect("openapi.yaml is beside this file");
    let document: serde_json::Value = serde_saphyr::from_str(&yaml).expect("openapi.yaml is YAML");
    let folder = env::var_os("OUT_DIR").expect("Cargo names the folder for what is built");
    fs::write(Path::new(&folder).join("openapi.json"), document.to_string())
        .expect("Cargo's folder can be written to");
}
