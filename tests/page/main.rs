//! The page in a real browser: what people do on it, and what they see.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod browser;
#[path = "../common/mod.rs"]
mod common;

use std::process::Command;
use std::time::Duration;

use browser::{DESK, PHONE, Page, target};
use chessboard_solver::engine::Weight;
use common::Server;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, IF_NONE_MATCH};
use serde_json::{Value, json};
use thirtyfour::common::print::PrintOrientation;
use thirtyfour::prelude::*;

/// A board of regions with exactly one answer.
const REGIONS: &str = "/#/queens?size=8&attack=touch&unique=true\
    &regions=aaaaaabb.aaaaaaab.cccccaaa.ccdddeea.ccccceeg.cccffegg.cccchhgg.ccchhhhh";

/// How many tiles are drawn.
const TILES: &str = "return [...document.querySelectorAll('.tile')].map(path => \
    path.getAttribute('d').split('M').length - 1).reduce((sum, count) => sum + count, 0)";

#[tokio::test(flavor = "multi_thread")]
async fn clicks_make_holes_and_the_tiling_follows() {
    let page = Page::open("/").await;
    assert_eq!(page.verdict().await.0, "Solved");
    assert_eq!(page.js(TILES).await, 21);
    page.is_at("#/tromino?size=8&holes=2,5").await;

    page.touch((0, 0)).await;
    let (title, reason) = page.verdict().await;
    assert_eq!(title, "Impossible");
    assert_eq!(reason, "There are 62 squares to cover, which is not a multiple of 3.");
    assert_eq!(page.fact("Proven by").await, "area");
    assert_eq!(page.js(TILES).await, 0);

    page.touch((2, 5)).await;
    assert_eq!(page.verdict().await.0, "Solved");
    page.is_at("#/tromino?size=8&holes=0,0").await;
    assert_eq!(page.fact("Found by").await, "quadrants");

    page.choose("Count all tilings").await;
    page.settled().await;
    assert_eq!(page.fact("Tilings").await, "30,355");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dragging_paints_every_square_on_the_way() {
    let page = Page::open("/#/tromino?size=8").await;
    page.drag(&[(3, 1), (3, 6)]).await;
    let holes: String = (1..=6).map(|col| format!("&holes=3,{col}")).collect();
    page.is_at(&format!("#/tromino?size=8{holes}")).await;
    // The same way once more takes them off again, but for the last.
    page.drag(&[(3, 1), (3, 5)]).await;
    page.is_at("#/tromino?size=8&holes=3,6").await;
    page.click("#clear").await;
    page.settled().await;
    page.is_at("#/tromino?size=8").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_size_is_set_by_field_or_slider_and_sides_may_differ() {
    let page = Page::open("/#/tromino?size=8").await;
    page.fill("#rows", "9").await;
    page.settled().await;
    page.is_at("#/tromino?size=9").await;
    page.choose("Square board").await;
    page.fill("#cols", "10").await;
    page.settled().await;
    page.is_at("#/tromino?rows=9&cols=10").await;
    assert_eq!(page.fact("Tiles").await, "30");
    page.js("document.querySelector('#cols-slider').focus()").await;
    page.keys(&[Key::Right.into(), Key::Right.into()]).await;
    page.settled().await;
    page.is_at("#/tromino?rows=9&cols=12").await;
    assert_eq!(page.fact("Tiles").await, "36");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tour_leads_from_the_start_to_the_end_that_were_clicked() {
    let page = Page::open("/#/knight-tour").await;
    page.touch((3, 3)).await;
    page.shift_touch((3, 4)).await;
    page.is_at("#/knight-tour?size=8&start=3,3&end=3,4").await;
    assert_eq!(page.verdict().await.0, "Solved");
    let words = page.text("#words").await;
    assert!(words.starts_with("A tour of 64 squares; blocked: none. In order: (3, 3), "), "{words}");
    assert!(words.ends_with(", (3, 4)."), "{words}");

    page.choose("Blocked").await;
    page.touch((0, 0)).await;
    let (title, reason) = page.verdict().await;
    assert_eq!(title, "Impossible");
    assert!(reason.starts_with("Every move changes"), "{reason}");
    page.touch((0, 0)).await;

    page.choose("End").await;
    page.touch((1, 4)).await;
    page.choose("Closed: the end leads back to the start").await;
    page.settled().await;
    page.is_at("#/knight-tour?size=8&start=3,3&end=1,4&closed=true").await;
    assert_eq!(page.verdict().await.0, "Solved");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tour_is_played_paused_and_stepped_through() {
    let page = Page::open("/#/knight-tour?size=5&start=0,0").await;
    assert_eq!(page.text("#step-text").await, "25 of 25");
    page.js("const speed = document.querySelector('#speed'); \
         speed.value = 2; speed.dispatchEvent(new Event('input'))")
        .await;
    page.click("#play").await;
    page.until("document.querySelector('#step').value === '3'").await;
    page.click("#play").await;
    let paused = page.text("#step-text").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(page.text("#step-text").await, paused);
    let step: usize = paused.split(' ').next().unwrap().parse().unwrap();
    page.click("#forth").await;
    assert_eq!(page.text("#step-text").await, format!("{} of 25", step + 1));
    page.click("#back").await;
    page.click("#back").await;
    assert_eq!(page.text("#step-text").await, format!("{} of 25", step - 1));
    page.settled().await;
    page.is_at(&format!("#/knight-tour?size=5&start=0,0&step={}", step - 1)).await;
    // Numbers that are yet to come are pale.
    assert_eq!(page.js("return document.querySelectorAll('.ahead').length").await, 25 - (step - 1));
    page.click("#play").await;
    page.until("document.querySelector('#step-text').textContent === '25 of 25'").await;
    page.until("document.querySelector('#play').textContent === 'Play'").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queens_are_placed_and_barred_and_the_rest_is_found() {
    let page = Page::open("/#/queens").await;
    assert_eq!(page.fact("Solutions").await, "92");
    assert_eq!(page.fact("But for turns and mirror images").await, "12");
    page.touch((0, 0)).await;
    assert_eq!(page.fact("Solutions").await, "4");
    assert_eq!(page.js("return document.querySelectorAll('.given').length").await, 1);
    assert_eq!(page.js("return document.querySelectorAll('.found').length").await, 7);
    page.choose("Barred").await;
    page.touch((1, 4)).await;
    assert_eq!(page.fact("Solutions").await, "3");
    page.choose("Queens").await;
    page.touch((7, 7)).await;
    let (title, reason) = page.verdict().await;
    assert_eq!(title, "Impossible");
    assert!(reason.contains("attack"), "{reason}");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn solutions_are_walked_through() {
    let page = Page::open("/#/queens?size=10").await;
    assert_eq!(page.text("#solution-text").await, "1 of 724");
    let first = page.text("#words").await;
    page.click("#next").await;
    assert_eq!(page.text("#solution-text").await, "2 of 724");
    assert_ne!(page.text("#words").await, first);
    // The last is in another portion of the solutions.
    page.js("document.querySelector('#solution').focus()").await;
    page.keys(&[Key::End.into()]).await;
    page.settled().await;
    page.is_at("#/queens?size=10&solution=724").await;
    let answer = page.server.get("/queens?size=10&offset=723").await.ok();
    let squares: Vec<_> = answer["solutions"][0]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(row, col)| format!("({row}, {col})"))
        .collect();
    let words = page.text("#words").await;
    assert!(words.contains(&squares.join(", ")), "{words}");
    page.choose("Turned or mirrored is the same").await;
    page.settled().await;
    assert_eq!(page.text("#solution-text").await, "1 of 92");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn regions_are_painted() {
    let page = Page::open("/#/queens?size=4").await;
    page.choose("Regions").await;
    page.choose("2").await;
    // The first row is a region, and the second takes three of its squares.
    page.drag(&[(0, 1), (0, 3)]).await;
    page.is_at("#/queens?size=4&regions=abbb.bbbb.cccc.dddd").await;
    assert_eq!(page.verdict().await.0, "Impossible");
    page.go(REGIONS).await;
    assert_eq!(page.fact("The only one").await, "yes");
    assert_eq!(page.js("return document.querySelectorAll('.found').length").await, 8);
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_is_shown_at_its_field() {
    let page = Page::open("/#/tromino?size=8&holes=1,1").await;
    page.fill("#seed", "many").await;
    page.settled().await;
    assert_eq!(page.verdict().await.0, "Invalid request");
    assert!(page.text("#seed-fault").await.starts_with("must be an integer from 0 to "));
    let seed = page.js("const seed = document.querySelector('#seed'); \
         return [seed.ariaInvalid, seed.getAttribute('aria-describedby')]");
    assert_eq!(seed.await, json!(["true", "seed-fault"]));
    assert!(page.text("#faults").await.starts_with("seed must be an integer"));
    let complaints = page.complaints().await;
    assert!(complaints.iter().all(|complaint| complaint.contains("status of 422")), "{complaints:?}");

    page.fill("#seed", "7").await;
    page.settled().await;
    assert_eq!(page.verdict().await.0, "Solved");
    assert_eq!(page.text("#seed-fault").await, "");
    assert_eq!(page.js("return document.querySelector('#seed').ariaInvalid").await, Value::Null);
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_says_what_to_do() {
    let page = Page::open("/#/knight-tour?size=8&start=0,0&method=backtracking&timeout_ms=400").await;
    let (title, reason) = page.verdict().await;
    assert_eq!(title, "Solve timeout");
    assert!(reason.starts_with("There was no answer within 400 ms"), "{reason}");
    let complaints = page.complaints().await;
    assert!(complaints.iter().all(|complaint| complaint.contains("status of 504")), "{complaints:?}");

    // In the background there is no such limit.
    page.click("#background").await;
    page.until("document.querySelector('#elapsed').textContent >= 'Solving… 2'").await;
    page.is_at("#/knight-tour?size=8&start=0,0&method=backtracking").await;
    page.click("#cancel").await;
    page.until("document.querySelector('#verdict-title').textContent === 'Cancelled'").await;
    assert_eq!(page.js("return document.activeElement.id").await, "solve");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_that_it_waits_and_cancelling_ends_the_work() {
    let page = Page::open("/#/knight-tour?size=8&start=0,0").await;
    for cancel in ["button", "key"] {
        page.select("#method", "backtracking").await;
        page.until("!document.querySelector('#running').hidden").await;
        assert!(page.text("#elapsed").await.starts_with("Solving… "));
        assert_eq!(page.js("return document.querySelector('#board').ariaBusy").await, "true");
        assert_eq!(page.server.app.engine().load(Weight::Heavy), (1, 0));
        if cancel == "button" {
            page.click("#cancel").await;
        } else {
            page.keys(&[Key::Escape.into()]).await;
        }
        page.until("document.querySelector('#running').hidden").await;
        assert_eq!(page.verdict().await.0, "Cancelled");
        let began = std::time::Instant::now();
        while page.server.app.engine().load(Weight::Heavy) != (0, 0) {
            assert!(began.elapsed() < Duration::from_secs(30), "the server works on");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        page.select("#method", "").await;
        page.settled().await;
        assert_eq!(page.verdict().await.0, "Solved");
    }
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_count_is_a_job_that_shows_how_far_it_is_and_can_be_cancelled() {
    let page = Page::open("/#/queens?size=8&count=true").await;
    page.fill("#rows", "20").await;
    page.until("document.querySelector('#progress').value > 0").await;
    assert_eq!(page.js("return document.querySelector('#progress').position < 1").await, true);
    page.click("#cancel").await;
    page.until("document.querySelector('#verdict-title').textContent === 'Cancelled'").await;
    // The browser tells which job it asked the server to cancel.
    let job = "performance.getEntriesByType('resource').map(entry => entry.name) \
        .find(name => /jobs.[^/]+$/.test(name))";
    page.until(job).await;
    let job = page.js(&format!("return new URL({job}).pathname")).await;
    let job = page.server.get(job.as_str().unwrap()).await.ok();
    assert_eq!(job["status"], "cancelled");
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_job_is_shown_like_any_other() {
    let page = Page::open("/#/queens?size=17&count=true").await;
    assert_eq!(page.fact("Solutions").await, "95,815,104");
    assert_eq!(page.fact("But for turns and mirror images").await, "11,977,939");
    page.choose("JSON").await;
    page.until("document.querySelector('#copyable').textContent.includes('\"solution_count\":95815104')")
        .await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_takes_the_place_of_a_request_under_way() {
    let page = Page::open("/#/knight-tour?size=8&start=0,0").await;
    page.select("#method", "backtracking").await;
    page.until("!document.querySelector('#running').hidden").await;
    page.select("#method", "warnsdorff").await;
    page.settled().await;
    assert_eq!(page.fact("Found by").await, "warnsdorff");
    assert_eq!(page.server.app.engine().load(Weight::Heavy), (0, 0));
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_told_as_such() {
    let mut page = Page::open("/#/queens?size=8").await;
    page.server.stop();
    page.until("fetch('/healthz').then(() => false, () => true)").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    page.fill("#rows", "9").await;
    page.until("document.querySelector('#verdict-title').textContent === 'No connection'").await;
    page.complaints().await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_holds_everything_that_is_shown() {
    let page = Page::open("/").await;
    for address in [
        "#/tromino?rows=5&cols=9&count=true",
        "#/tromino?size=10&holes=3,3&seed=18446744073709551615&base=1",
        "#/knight-tour?rows=6&cols=7&start=0,0&end=5,6&blocked=2,2&blocked=2,3&step=12",
        "#/knight-tour?size=5&closed=true&leaper=1,4&unique=true&timeout_ms=2000",
        "#/queens?size=9&queens=0,2&blocked=3,3&attack=torus&count=true",
        "#/queens?size=8&distinct=fundamental&solution=12&base=1",
        &REGIONS[1..],
    ] {
        page.go(&format!("/{address}")).await;
        page.is_at(address).await;
        let seen = "return [...document.querySelectorAll('#verdict-title, #reason, dt, #words')].map(e => e.textContent)";
        let before = page.js(seen).await;
        page.go(&format!("/{address}")).await;
        assert_eq!(page.js(seen).await, before, "{address}");
    }
    // Links lead from puzzle to puzzle, and back again.
    page.go("/#/tromino?size=6").await;
    page.click("[data-puzzle=queens]").await;
    page.settled().await;
    page.is_at("#/queens?size=8").await;
    page.back().await;
    page.is_at("#/tromino?size=6").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbering_from_one_changes_what_is_read_and_not_what_is_asked() {
    let page = Page::open("/#/queens?size=8&queens=0,0").await;
    assert!(page.text("#words").await.starts_with("Queens at: (0, 0), "));
    page.select("#base", "1").await;
    page.settled().await;
    assert!(page.text("#words").await.starts_with("Queens at: (1, 1), "));
    assert_eq!(page.text(".label text").await, "1");
    page.choose("curl").await;
    page.until("document.querySelector('#copyable').textContent.includes('queens=0,0')").await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_can_be_done_by_keyboard() {
    let page = Page::open("/#/knight-tour").await;
    // From the top: past the links to the tools, the board behind them.
    let focused = "return document.activeElement.id || document.activeElement.name || ''";
    let mut reached = Vec::new();
    for _ in 0..60 {
        page.keys(&[Key::Tab.into()]).await;
        let id = page.js(focused).await.as_str().unwrap().to_owned();
        if reached.contains(&id) && !id.is_empty() {
            break;
        }
        // What has the focus shows it.
        let outlined = "const focused = document.activeElement; \
            if (focused === document.body) return 'nothing has it'; \
            const seen = focused.matches('.segments input') ? focused.nextSibling : focused; \
            return getComputedStyle(seen).outlineStyle";
        assert_ne!(page.js(outlined).await, "none", "{id} doesn't show that it has the focus");
        reached.push(id);
    }
    for id in [
        "tool",
        "clear",
        "board",
        "play",
        "back",
        "forth",
        "step",
        "speed",
        "rows",
        "square",
        "closed",
        "count",
        "unique",
        "leaper",
        "method",
        "timeout_ms",
        "base",
        "solve",
        "at-once",
        "form",
        "copy",
        "save-svg",
        "save-png",
    ] {
        assert!(reached.iter().any(|came| came == id), "{id} isn't reached: {reached:?}");
    }

    page.js("document.querySelector('#board').focus()").await;
    page.keys(&[Key::Down.into(), Key::Down.into(), Key::Right.into()]).await;
    assert_eq!(page.text("#live").await.split(':').next(), Some("row 2, column 1"));
    page.keys(&[' ']).await;
    page.settled().await;
    page.is_at("#/knight-tour?size=8&start=2,1").await;
    page.keys(&[Key::End.into(), Key::PageDown.into(), Key::Left.into()]).await;
    page.shift_key(Key::Enter).await;
    page.settled().await;
    page.is_at("#/knight-tour?size=8&start=2,1&end=7,6").await;
    assert!(page.text("#live").await.contains("Solved") || page.text("#live").await.contains("end"));
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_saved() {
    let page = Page::open("/#/tromino?rows=5&cols=9").await;
    page.click("#save-svg").await;
    let svg = String::from_utf8(page.downloaded("tromino-5x9.svg").await).unwrap();
    let picture = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(picture.root_element().tag_name().name(), "svg");
    let fills: Vec<_> = picture.descendants().filter_map(|element| element.attribute("fill")).collect();
    for color in ["#0072b2", "#e69f00", "#009e73"] {
        assert!(fills.contains(&color), "{fills:?}");
    }
    assert!(!svg.contains("class="), "a file has no style sheet");
    page.click("#save-png").await;
    let png = page.downloaded("tromino-5x9.png").await;
    let (width, height) = dimensions(&png);
    assert_eq!(width, 2000);
    assert!((1000..1300).contains(&height), "{height}");

    page.go("/#/knight-tour?size=100").await;
    page.click("#save-png").await;
    assert_eq!(dimensions(&page.downloaded("knight-tour-100x100.png").await), (2000, 2000));
    page.click("#save-svg").await;
    let svg = String::from_utf8(page.downloaded("knight-tour-100x100.svg").await).unwrap();
    assert!(svg.starts_with("<svg "));
    page.close().await;
}

/// The width and height that a PNG says it has.
fn dimensions(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_copied_works_elsewhere() {
    let page = Page::open("/").await;
    for address in ["/#/queens?size=8&queens=0,0", "/#/tromino?size=4&holes=2,2", REGIONS] {
        page.go(address).await;
        let json: Value = serde_json::from_str(&copied(&page, "json").await).unwrap();
        assert_eq!(json["status"], "solved");

        let curl = format!("{} --silent --noproxy '*'", copied(&page, "curl").await);
        let run = move || Command::new("sh").args(["-c", &curl]).output().unwrap();
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), json, "{address}");

        let code = copied(&page, "fetch").await;
        let script = format!(
            "const done = arguments[0]; (async () => {{ {code} return answer; }})().then(done, error => done(String(error)))"
        );
        assert_eq!(page.js_async(&script).await, json, "{code}");

        let link = copied(&page, "link").await;
        assert_eq!(link, page.server.url(address));
    }
    page.go("/#/queens?size=4&count=false").await;
    let text = page.server.get("/queens?size=4&count=false&limit=100&format=text").await.text;
    assert_eq!(copied(&page, "text").await, text);
    page.close().await;
}

/// What the page puts on the clipboard in this form.
async fn copied(page: &Page, form: &str) -> String {
    let script = format!(
        "const done = arguments[0]; navigator.clipboard.writeText = async text => done(text); \
         document.querySelector('[name=form][value={form}]').click(); document.querySelector('#copy').click()"
    );
    page.js_async(&script).await.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn large_boards_are_panned_and_zoomed() {
    let page = Page::open("/#/knight-tour?size=1000&closed=true").await;
    assert_eq!(page.fact("Squares").await, "1,000,000");
    // The share of the canvas that isn't transparent: the board fills most of it, and then all of it.
    let filled = "const canvas = document.querySelector('#board canvas'); \
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true}); \
        copy.drawImage(canvas, 0, 0); \
        const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data; \
        let count = 0; for (let at = 3; at < pixels.length; at += 4) count += pixels[at] === 255; \
        return count / (pixels.length / 4)";
    let whole = page.js(filled).await.as_f64().unwrap();
    assert!(whole > 0.5, "{whole}");
    for _ in 0..10 {
        page.click("#zoom-in").await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(page.js(filled).await, 1.0);
    page.screenshot("large-near").await;
    page.click("#zoom-fit").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!((page.js(filled).await.as_f64().unwrap() - whole).abs() < 0.01);

    // The keyboard zooms as well, and brings its square into sight.
    page.js("document.querySelector('#board').focus()").await;
    page.keys(&['+', '+', '+', '+', Key::End.into(), Key::PageDown.into()]).await;
    assert_eq!(page.text("#live").await.split(':').next(), Some("row 999, column 999"));
    page.keys(&[' ']).await;
    page.settled().await;
    page.is_at("#/knight-tour?size=1000&start=999,999&closed=true").await;

    for address in ["/#/tromino?size=1000&holes=618,382", "/#/queens?size=1000"] {
        page.go(address).await;
        assert_eq!(page.verdict().await.0, "Solved");
        assert!(page.js(filled).await.as_f64().unwrap() > 0.5);
    }
    page.close().await;
}

/// States in which the page looks different.
const STATES: [(&str, &str); 8] = [
    ("tromino", "/#/tromino?size=8&holes=2,5"),
    ("tromino-random", "/#/tromino?rows=12&cols=16&seed=4"),
    ("tour", "/#/knight-tour?size=8&closed=true&step=40"),
    ("tour-large", "/#/knight-tour?size=200&closed=true"),
    ("queens", "/#/queens?size=8&queens=0,4&blocked=7,7&blocked=6,6"),
    ("queens-regions", REGIONS),
    ("impossible", "/#/tromino?size=3"),
    ("error", "/#/tromino?size=8&seed=x"),
];

#[tokio::test(flavor = "multi_thread")]
async fn assistive_technology_finds_no_obstacle() {
    let axe = target().join("node/node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(&axe)
        .unwrap_or_else(|error| panic!("{}: {error}; scripts/test fetches it", axe.display()));
    let page = Page::open("/").await;
    for (size, theme) in [(DESK, "light"), (DESK, "dark"), (PHONE, "light")] {
        page.window(size, theme).await;
        for (name, address) in STATES {
            page.go(address).await;
            if name == "queens-regions" {
                page.choose("Regions").await;
            }
            page.js("document.querySelector('.words').open = true").await;
            let scan = format!(
                "const done = arguments[0]; {axe}; axe.run().then(results => done([results.passes.length, \
                 results.violations.map(found => `${{found.id}}: ${{found.nodes.map(node => node.target)}}`)]))"
            );
            let found = page.js_async(&scan).await;
            assert_eq!(found[1], json!([]), "{name}, {theme}");
            assert!(found[0].as_u64().unwrap() > 20, "the scan looked at something");
        }
    }
    page.complaints().await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_fits_its_window_in_both_themes() {
    let page = Page::open("/").await;
    for (device, size) in [("desk", DESK), ("phone", PHONE), ("wall", (3840, 2160))] {
        for theme in ["light", "dark"] {
            page.window(size, theme).await;
            for (name, address) in STATES {
                page.go(address).await;
                let wide = page.js("return document.documentElement.scrollWidth - innerWidth").await;
                assert!(wide.as_i64().unwrap() <= 0, "{name} is too wide for the {device}: {wide}");
                if device != "wall" || name == "tromino" {
                    page.screenshot(&format!("{name}-{device}-{theme}")).await;
                }
            }
        }
    }
    page.complaints().await;
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn touch_targets_are_large_enough_on_a_phone() {
    let page = Page::open(REGIONS).await;
    page.window(PHONE, "light").await;
    page.choose("Regions").await;
    let small = page
        .js("return [...document.querySelectorAll('button, select, nav a, label:has(input[type=radio]), \
             .check, input[type=text], input[type=number]')] \
             .filter(element => element.checkVisibility()) \
             .filter(element => Math.min(element.offsetWidth, element.offsetHeight) < 24) \
             .map(element => element.outerHTML)")
        .await;
    // WCAG 2.2, 2.5.8.
    assert_eq!(small, json!([]));
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_prints_on_one_sheet() {
    let page = Page::open("/").await;
    for (_, address) in STATES.into_iter().filter(|(name, _)| *name != "error") {
        page.go(address).await;
        for orientation in [PrintOrientation::Portrait, PrintOrientation::Landscape] {
            let pdf = page.printed(orientation).await;
            let count = |mark: &[u8]| pdf.windows(mark.len()).filter(|bytes| *bytes == mark).count();
            assert_eq!(count(b"/Type /Page") - count(b"/Type /Pages"), 1, "{address}");
        }
    }
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_get_the_page_and_others_the_help() {
    let server = Server::start().await;
    let root = |accept: &'static str| server.client.get(server.url("/")).header(ACCEPT, accept);
    let page = server.call(root("text/html,application/xhtml+xml,*/*;q=0.8")).await;
    assert!(page.text.starts_with("<!doctype html>"));
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("vary").unwrap().starts_with("Accept"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(server.call(root("*/*")).await.text.starts_with("chessboard-solver: "));

    let tag = page.header("etag").unwrap().to_owned();
    let again = server.call(root("text/html").header(IF_NONE_MATCH, &tag)).await;
    assert_eq!(again.status, 304);
    // The help is no older version of the page.
    assert_eq!(server.call(root("*/*").header(IF_NONE_MATCH, &tag)).await.status, 200);

    let script = server.get("/web/main.js").await;
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let tag = script.header("etag").unwrap().to_owned();
    let again = server.client.get(server.url("/web/main.js")).header(IF_NONE_MATCH, tag);
    assert_eq!(server.call(again).await.status, 304);
    let head = server.client.head(server.url("/web/main.js")).send().await.unwrap();
    assert_eq!(head.headers()["content-length"], script.text.len().to_string().as_str());
    server.get("/web/none.js").await.problem(404, "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_light() {
    let page = Page::open("/").await;
    let mut loaded: Vec<String> = serde_json::from_value(
        page.js("return performance.getEntriesByType('resource').map(entry => entry.name)").await,
    )
    .unwrap();
    loaded.retain(|url| !url.contains("/tromino?"));
    loaded.push(page.server.url("/"));
    let mut size = 0;
    for url in &loaded {
        assert!(url.starts_with(&page.server.url("/")), "the page loads {url}");
        let file = page
            .server
            .client
            .get(url)
            .header(ACCEPT, "text/html, */*;q=0.8")
            .header(ACCEPT_ENCODING, "gzip");
        size += file.send().await.unwrap().bytes().await.unwrap().len();
    }
    assert!(loaded.len() > 10, "{loaded:?}");
    assert!(size < 60_000, "{size} bytes");
    page.close().await;
}
