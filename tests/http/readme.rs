//! Every curl example of the README answers what the README says.

use std::process::Command;

use crate::common::Server;
use chessboard_solver::config::Config;
use clap::CommandFactory;

/// The commands of the README's consoles, each with what it prints.
fn examples() -> Vec<(&'static str, String)> {
    let readme = include_str!("../../README.md");
    let consoles = readme.split("```console\n").skip(1).map(|rest| rest.split("\n```").next().unwrap());
    consoles
        .flat_map(|console| console.split("$ ").skip(1))
        .map(|example| {
            let (command, output) = example.split_once('\n').unwrap_or((example, ""));
            (command, output.trim_end().to_owned())
        })
        .collect()
}

/// The pictures of the README, and the requests that they answer.
const PICTURES: [(&str, &str); 3] = [
    ("docs/tromino.svg", "/tromino?size=8&holes=2,5&format=svg"),
    ("docs/knight-tour.svg", "/knight-tour?size=8&closed=true&start=0,0&format=svg"),
    ("docs/queens.svg", "/queens?size=8&format=svg"),
];

#[tokio::test]
async fn every_picture_is_what_the_server_draws() {
    let server = Server::start().await;
    for (file, path) in PICTURES {
        let drawn = server.get(path).await.text;
        assert!(include_str!("../../README.md").contains(file));
        assert_eq!(std::fs::read_to_string(file).unwrap(), drawn, "{file} is not {path}");
    }
}

#[test]
fn every_setting_is_in_the_table_with_its_default() {
    let readme = include_str!("../../README.md");
    let settings = readme.split("## Settings").nth(1).unwrap().split("\n## ").next().unwrap();
    let command = Config::command();
    for setting in command.get_arguments().filter(|argument| argument.get_env().is_some()) {
        let variable = setting.get_env().and_then(|name| name.to_str()).unwrap();
        let row = settings.lines().find(|row| row.contains(&format!("`{variable}`")));
        let row = row.unwrap_or_else(|| panic!("{variable} is not in the table"));
        for default in setting.get_default_values() {
            assert!(
                row.contains(default.to_str().unwrap()),
                "{variable} has the default {default:?}, not as in {row}"
            );
        }
    }
}

/// The text with the id of a job, if there is one, made the same.
fn masked(text: &str) -> String {
    match text.split_once("/jobs/") {
        Some((before, after)) => format!("{before}/jobs/…{}", &after[36..]),
        None => text.to_owned(),
    }
    // Header lines end as the protocol wants it.
    .replace('\r', "")
}

#[tokio::test]
async fn every_example_is_true_to_the_letter() {
    let server = Server::start().await;
    let examples = examples();
    assert!(examples.len() >= 5);
    for (command, expected) in examples {
        let here = command.replace("localhost:8080", &server.address.to_string());
        let run = move || Command::new("sh").args(["-c", &here]).env("no_proxy", "*").output().unwrap();
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        // A job has another id each time.
        assert_eq!(
            masked(printed.trim_end()),
            masked(&expected),
            "{command}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
