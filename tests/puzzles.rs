//! The three puzzles over HTTP: what each answers, to a GET and to a POST alike.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod common;

use common::Server;
use serde_json::{Value, json};

#[tokio::test]
async fn every_classic_tromino_board_is_numbered_in_pre_order() {
    let server = Server::start().await;
    let vectors: Value = serde_json::from_str(include_str!("data/tromino_quadrants.json")).unwrap();
    for vector in vectors["boards"].as_array().unwrap() {
        let (size, hole) = (&vector["rows"], &vector["hole"]);
        let query = format!("/tromino?size={size}&holes={},{}", hole[0], hole[1]);
        let got = server.get(&query).await;
        assert_eq!(got.ok()["board"], vector["board"], "{query}");
        assert_eq!(got.ok()["method"], "quadrants");
        let posted = server.post("/tromino", &json!({"rows": size, "cols": size, "holes": [hole]})).await;
        assert_eq!(posted.text, got.text);
    }
}

#[tokio::test]
async fn numbering_starts_anew_for_every_request() {
    let server = Server::start().await;
    let first = server.get("/tromino?size=64&holes=5,17").await;
    assert_eq!(first.text, server.get("/tromino?size=64&holes=5,17").await.text);
}

#[tokio::test]
async fn a_large_board_arrives_whole() {
    let server = Server::start().await;
    let solved = server.get("/tromino?size=1024&holes=1000,3").await.ok();
    assert_eq!(solved["tile_count"], (1024 * 1024 - 1) / 3);
    let board = solved["board"].as_array().unwrap();
    assert_eq!(board.len(), 1024);
    let mut times = vec![0; (1024 * 1024 - 1) / 3 + 1];
    for cell in board.iter().flat_map(|row| row.as_array().unwrap()) {
        times[cell.as_u64().unwrap() as usize] += 1;
    }
    assert_eq!(times[0], 1);
    assert!(times[1..].iter().all(|times| *times == 3));
}

#[tokio::test]
async fn the_classic_knights_tour_programs_are_reproduced() {
    let server = Server::start().await;
    let vectors: Value = serde_json::from_str(include_str!("data/knight_classic.json")).unwrap();
    for method in ["warnsdorff", "backtracking"] {
        let start = &vectors[method]["start"];
        let query = format!("/knight-tour?size=8&method={method}&start={},{}", start[0], start[1]);
        let solved = server.get(&query).await.ok();
        assert_eq!(solved["board"], vectors[method]["board"], "{method}");
        assert_eq!((&solved["status"], &solved["method"]), (&json!("solved"), &json!(method)));
    }
}

#[tokio::test]
async fn warnsdorffs_rule_alone_is_stuck_from_one_square_after_60() {
    let server = Server::start().await;
    let stuck = server.get("/knight-tour?size=8&method=warnsdorff&start=4,5").await.ok();
    assert_eq!((&stuck["status"], &stuck["square_count"]), (&json!("stuck"), &json!(60)));
    let cells = || stuck["board"].as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap());
    assert_eq!(cells().filter(|cell| **cell == 0).count(), 4);
    assert_eq!(server.get("/knight-tour?size=8&start=4,5").await.ok()["status"], "solved");
}

#[tokio::test]
async fn a_tour_that_can_not_be_is_proven_so() {
    let server = Server::start().await;
    for (query, proof) in
        [("size=5&closed=true", "colour"), ("size=4", "theorem"), ("size=5&start=0,1", "colour")]
    {
        let answer = server.get(&format!("/knight-tour?{query}")).await.ok();
        assert_eq!((&answer["status"], &answer["proof"]), (&json!("impossible"), &json!(proof)), "{query}");
        assert_eq!(answer["board"], Value::Null);
        assert!(answer["reason"].as_str().unwrap().ends_with('.'));
    }
}

#[tokio::test]
async fn queens_are_listed_in_order_and_counted() {
    let server = Server::start().await;
    let solved = server.get("/queens?size=8&limit=100").await.ok();
    assert_eq!((&solved["solution_count"], &solved["fundamental_count"]), (&json!(92), &json!(12)));
    let solutions = solved["solutions"].as_array().unwrap();
    assert_eq!(solutions.len(), 92);
    assert_eq!(solutions[0], json!([0, 4, 7, 5, 2, 6, 1, 3]));
    let text: Vec<_> = solutions.iter().map(ToString::to_string).collect();
    assert!(text.is_sorted());

    let uncounted = server.get("/queens?size=8&count=false&limit=0").await.ok();
    assert_eq!((&uncounted["solution_count"], &uncounted["solutions"]), (&Value::Null, &json!([])));
    assert_eq!(uncounted["board"][0][0], 1);
}

#[tokio::test]
async fn counts_of_queens_are_those_of_the_literature() {
    let server = Server::start().await;
    let vectors: Value = serde_json::from_str(include_str!("data/queens.json")).unwrap();
    for size in 1..=14 {
        let answer = server.get(&format!("/queens?size={size}&board=false")).await.ok();
        for (field, table) in [
            ("solution_count", "total_solutions_A000170"),
            ("fundamental_count", "fundamental_solutions_A002562"),
        ] {
            assert_eq!(answer[field], vectors[table]["values"][size.to_string()], "{field} of {size}");
        }
    }
}

#[tokio::test]
async fn one_queen_is_solved_and_two_and_three_are_impossible() {
    let server = Server::start().await;
    assert_eq!(server.get("/queens?size=1").await.ok()["board"], json!([[1]]));
    for size in [2, 3] {
        let answer = server.get(&format!("/queens?size={size}")).await.ok();
        assert_eq!((&answer["status"], &answer["solution_count"]), (&json!("impossible"), &json!(0)));
    }
}

#[tokio::test]
async fn a_million_queens_stand_when_the_board_is_not_drawn() {
    let server = Server::start().await;
    let solved = server.get("/queens?size=1000000&board=false").await.ok();
    let columns: Vec<i64> = serde_json::from_value(solved["solutions"][0].clone()).unwrap();
    assert_eq!(columns.len(), 1_000_000);
    let different = |lines: &mut dyn Iterator<Item = i64>| {
        let mut lines: Vec<_> = lines.collect();
        lines.sort_unstable();
        lines.windows(2).all(|pair| pair[0] != pair[1])
    };
    assert!(different(&mut columns.iter().copied()));
    assert!(different(&mut columns.iter().zip(0..).map(|(col, row)| col - row)));
    assert!(different(&mut columns.iter().zip(0..).map(|(col, row)| col + row)));
}
