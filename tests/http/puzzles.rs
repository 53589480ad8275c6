//! The three puzzles over HTTP: what each answers, to a GET and to a POST alike.

use crate::common::Server;
use serde_json::{Value, json};

#[tokio::test]
async fn every_classic_tromino_board_is_numbered_in_pre_order() {
    let server = Server::start().await;
    let vectors: Value = serde_json::from_str(include_str!("../data/tromino_quadrants.json")).unwrap();
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
async fn any_board_is_tiled_or_proven_untileable() {
    let server = Server::start().await;
    for (query, proof) in [
        ("size=1", "area"),
        ("rows=3&cols=3", "theorem"),
        ("rows=2&cols=5&holes=0,2", "theorem"),
        ("rows=5&cols=14&holes=2,1", "theorem"),
        ("rows=2&cols=4&holes=0,1&holes=1,1", "area"),
    ] {
        let answer = server.get(&format!("/tromino?{query}")).await.ok();
        assert_eq!(answer["status"], "impossible", "{query}: {answer}");
        if proof != "theorem" {
            assert_eq!(answer["proof"], proof, "{query}: {answer}");
        }
        assert_eq!((&answer["tiling_count"], &answer["board"]), (&json!("0"), &Value::Null));
    }
    for query in [
        "rows=3&cols=8",
        "rows=8&cols=3",
        "size=1&holes=0,0",
        "size=50&holes=1,1&holes=20,30&holes=7,0&holes=8,8",
    ] {
        let answer = server.get(&format!("/tromino?{query}")).await.ok();
        assert_eq!(answer["status"], "solved", "{query}: {answer}");
    }
    let covered = server.get("/tromino?size=2&holes=0,0&holes=0,1&holes=1,0&holes=1,1").await.ok();
    assert_eq!(
        (&covered["status"], &covered["tile_count"], &covered["tile_colors"]),
        (&json!("solved"), &json!(0), &json!([]))
    );
}

#[tokio::test]
async fn a_grid_is_another_way_to_tell_a_board() {
    let server = Server::start().await;
    let drawn = server.post("/tromino", &json!({"grid": ["...#", "....", "#..."]})).await;
    let told = server.get("/tromino?rows=3&cols=4&holes=0,3&holes=2,0").await;
    assert_eq!(drawn.text, told.text);
    let faults = server.post("/tromino", &json!({"grid": ["...", "..x", ".."]})).await.faults();
    assert_eq!(
        faults,
        [
            "grid must have . for a square and # for a hole, got 'x' in row 1, column 2",
            "grid must have rows of one length, got 2 characters in row 2 and 3 in row 0",
        ]
    );
}

#[tokio::test]
async fn tilings_are_counted_and_drawn_at_random() {
    let server = Server::start().await;
    let counted = server.get("/tromino?size=8&holes=0,0&count=true").await.ok();
    assert_eq!(counted["tiling_count"], "30355");
    assert_eq!(
        server.get("/tromino?size=12&count=true&board=false").await.ok()["tiling_count"],
        "2033502499954"
    );
    let fault = server.get("/tromino?size=21&count=true").await.faults();
    assert!(fault[0].starts_with("count must be false where both sides are longer than 20"), "{fault:?}");

    let draw = async |seed: u32| server.get(&format!("/tromino?size=8&holes=3,3&seed={seed}")).await.ok();
    let (first, second) = (draw(1).await, draw(2).await);
    assert_eq!(first["uniform"], true);
    assert_ne!(first["board"], second["board"]);
    assert_eq!(draw(1).await, first);
    assert_eq!(server.get("/tromino?size=20&holes=3,3&seed=1").await.ok()["uniform"], false);
}

#[tokio::test]
async fn tiles_that_share_an_edge_have_different_colours() {
    let server = Server::start().await;
    for (query, most) in [("size=16&holes=4,9", 3), ("rows=20&cols=30", 5), ("size=13&holes=3,3", 5)] {
        let answer = server.get(&format!("/tromino?{query}")).await.ok();
        let board: Vec<Vec<usize>> = serde_json::from_value(answer["board"].clone()).unwrap();
        let colors: Vec<u8> = serde_json::from_value(answer["tile_colors"].clone()).unwrap();
        assert!(colors.iter().all(|color| (1..=most).contains(color)), "{query}");
        let differ = |a: usize, b: usize| a == b || a == 0 || b == 0 || colors[a - 1] != colors[b - 1];
        for (row, cells) in board.iter().enumerate() {
            for (col, &tile) in cells.iter().enumerate() {
                assert!(col == 0 || differ(tile, cells[col - 1]), "{query} at {row}, {col}");
                assert!(row == 0 || differ(tile, board[row - 1][col]), "{query} at {row}, {col}");
            }
        }
    }
}

#[tokio::test]
async fn a_tour_goes_from_a_start_to_an_end_and_tells_its_path() {
    let server = Server::start().await;
    let tour = server.get("/knight-tour?rows=20&cols=31&start=4,4&end=19,30&path=true").await.ok();
    assert_eq!((&tour["start"], &tour["end"]), (&json!([4, 4]), &json!([19, 30])));
    let path: Vec<[usize; 2]> = serde_json::from_value(tour["path"].clone()).unwrap();
    assert_eq!(path.len(), 620);
    for (number, [row, col]) in path.iter().enumerate() {
        assert_eq!(tour["board"][row][col], number + 1);
    }
    for pair in path.windows(2) {
        let steps = (pair[0][0].abs_diff(pair[1][0]), pair[0][1].abs_diff(pair[1][1]));
        assert!(steps == (1, 2) || steps == (2, 1));
    }
    assert_eq!(server.get("/knight-tour?size=8&start=0,0").await.ok()["path"], Value::Null);
    let faults = server.get("/knight-tour?size=8&closed=true&start=0,0&end=3,3").await.faults();
    assert!(faults[0].starts_with("end must be a (1, 2) move away from the start"), "{faults:?}");
}

#[tokio::test]
async fn blocked_squares_leapers_and_clues_are_honoured() {
    let server = Server::start().await;
    let tour = server.get("/knight-tour?rows=3&cols=4&blocked=0,3&blocked=2,0").await.ok();
    assert!(["solved", "impossible"].contains(&tour["status"].as_str().unwrap()));
    let zebra = server.get("/knight-tour?size=10&leaper=2,3").await.ok();
    assert_eq!(zebra["square_count"], 100, "{zebra}");
    let camel = server.get("/knight-tour?size=8&leaper=3,1").await.ok();
    assert_eq!((&camel["status"], &camel["proof"]), (&json!("impossible"), &json!("colour")), "{camel}");

    let clues = json!({"size": 5, "clues": [[0, 0, 1], [2, 2, 25]], "unique": true, "count": true});
    let solved = server.post("/knight-tour", &clues).await.ok();
    assert_eq!(
        (&solved["board"][2][2], &solved["unique"], &solved["tour_count"]),
        (&json!(25), &json!(false), &json!("16")),
        "{solved}"
    );
    let contradiction = json!({"size": 5, "clues": [[0, 0, 1], [0, 1, 2]]});
    assert_eq!(server.post("/knight-tour", &contradiction).await.ok()["status"], "impossible");
    let faults =
        server.post("/knight-tour", &json!({"size": 5, "clues": [[0, 0], [0, 1, 26]]})).await.faults();
    assert_eq!(faults.len(), 2, "{faults:?}");
}

#[tokio::test]
async fn tours_are_counted() {
    let server = Server::start().await;
    let closed = server.get("/knight-tour?rows=5&cols=6&closed=true&count=true").await.ok();
    assert_eq!((&closed["tour_count"], &closed["unique"]), (&json!("8"), &Value::Null));
    let open = server.get("/knight-tour?size=5&start=0,0&count=true&unique=true").await.ok();
    assert_eq!((&open["tour_count"], &open["unique"]), (&json!("304"), &json!(false)));
    assert_eq!(server.get("/knight-tour?size=5&count=true").await.ok()["tour_count"], "1728");
}

#[tokio::test]
async fn the_classic_knights_tour_programs_are_reproduced() {
    let server = Server::start().await;
    let vectors: Value = serde_json::from_str(include_str!("../data/knight_classic.json")).unwrap();
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
    let vectors: Value = serde_json::from_str(include_str!("../data/queens.json")).unwrap();
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
async fn queens_are_completed_around_what_stands() {
    let server = Server::start().await;
    let completed = server.get("/queens?size=8&queens=4,1&queens=3,3&unique=true&limit=5").await.ok();
    assert_eq!((&completed["solution_count"], &completed["unique"]), (&json!(2), &json!(false)));
    assert_eq!(completed["fundamental_count"], Value::Null);
    assert!(completed["solutions"].as_array().unwrap().iter().all(|s| s[4] == 1 && s[3] == 3));
    let attacked = server.get("/queens?size=8&queens=0,0&queens=7,7").await.ok();
    assert_eq!((&attacked["status"], &attacked["proof"]), (&json!("impossible"), &json!("attack")));
    assert!(attacked["reason"].as_str().unwrap().contains("(0, 0)"), "{attacked}");
    let blocked = server.get("/queens?size=4&blocked=0,1&limit=5").await.ok();
    assert_eq!(blocked["solutions"], json!([[2, 0, 3, 1]]));
}

#[tokio::test]
async fn a_region_board_has_its_one_solution() {
    let server = Server::start().await;
    let vectors: Value = serde_json::from_str(include_str!("../data/queens.json")).unwrap();
    for vector in vectors["region_boards_computed"]["boards"].as_array().unwrap() {
        let request = json!({
            "size": vector["n"], "regions": vector["regions"], "attack": "touch", "unique": true, "count": true
        });
        let answer = server.post("/queens", &request).await.ok();
        assert_eq!(answer["solution_count"], vector["count"]);
        if vector["count"] == 0 {
            assert_eq!(answer["status"], "impossible");
        } else {
            assert_eq!(answer["unique"], vector["count"] == 1);
            assert_eq!(answer["solutions"][0], vector["first_solution"]);
        }
    }
    let few = server.post("/queens", &json!({"size": 4, "regions": vec![[0, 0, 1, 1]; 4]})).await.ok();
    assert_eq!(few["status"], "impossible");
    let faults = server.post("/queens", &json!({"size": 4, "regions": [[0, 0], [1, 1]]})).await.faults();
    assert!(faults[0].starts_with("regions must"), "{faults:?}");
    let faults = server.get("/queens?size=4&regions=0").await.faults();
    assert_eq!(faults, ["regions can only come in the JSON body of a POST"]);
}

#[tokio::test]
async fn queens_attack_around_the_edges_of_a_torus() {
    let server = Server::start().await;
    assert_eq!(server.get("/queens?size=11&attack=torus").await.ok()["solution_count"], 88);
    assert_eq!(
        server.get("/queens?size=1000000&attack=torus&board=false").await.ok()["status"],
        "impossible"
    );
    let wide = server.get("/queens?size=999997&attack=torus&board=false").await.ok();
    assert_eq!(wide["status"], "solved");
}

#[tokio::test]
async fn solutions_are_skipped_drawn_and_taken_by_class() {
    let server = Server::start().await;
    let all = server.get("/queens?size=8&limit=92").await.ok();
    let some = server.get("/queens?size=8&limit=5&offset=40").await.ok();
    assert_eq!(some["solutions"].as_array().unwrap()[..], all["solutions"].as_array().unwrap()[40..45]);
    let classes = server.get("/queens?size=8&limit=92&distinct=fundamental").await.ok();
    assert_eq!(classes["solutions"].as_array().unwrap().len(), 12);

    let draw = async |seed: u32| server.get(&format!("/queens?size=8&seed={seed}")).await.ok();
    assert_eq!(draw(1).await["uniform"], true);
    assert_eq!(draw(1).await, draw(1).await);
    assert_ne!(draw(1).await["solutions"], draw(2).await["solutions"]);
    let wide = server.get("/queens?size=2000&seed=3&board=false").await.ok();
    assert_eq!(wide["uniform"], false);
    assert_eq!(server.get("/queens?size=8&seed=1&offset=2").await.faults().len(), 1);
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
