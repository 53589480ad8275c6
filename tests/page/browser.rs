//! A browser with the page of a server of its own: Chromium, driven through ChromeDriver.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::common::print::{PrintOrientation, PrintParameters};
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

use crate::common::Server;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The wide and the narrow window of the tests, in pixels.
pub const DESK: (u32, u32) = (1440, 900);
pub const PHONE: (u32, u32) = (360, 740);

/// A process that ends with its owner.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A window with the page.
pub struct Page {
    pub server: Server,
    pub downloads: TempDir,
    driver: WebDriver,
    _process: Driver,
}

impl Page {
    /// Opens the page at an address: what follows the server's name.
    pub async fn open(address: &str) -> Self {
        Self::on(Server::start().await, address).await
    }

    /// Opens the page of this server.
    pub async fn on(server: Server, address: &str) -> Self {
        let (process, port) = start();
        let downloads = tempfile::tempdir().unwrap();
        let mut capabilities = ChromeCapabilities::new();
        for argument in ["headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu"] {
            capabilities.add_arg(&format!("--{argument}")).unwrap();
        }
        capabilities.set_browser_log_level(LoggingPrefsLogLevel::All).unwrap();
        let prefs = json!({"download.default_directory": downloads.path()});
        capabilities.add_experimental_option("prefs", prefs).unwrap();
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), capabilities).await.unwrap();
        let page = Self { server, downloads, driver, _process: process };
        page.window(DESK, "light").await;
        page.go(address).await;
        page
    }

    /// Sets the size of the window and the system's theme.
    pub async fn window(&self, (width, height): (u32, u32), theme: &str) {
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}),
        )
        .await;
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
        self.cdp("Emulation.setEmulatedMedia", features).await;
    }

    /// Loads the page anew at an address, and waits until the server has answered.
    pub async fn go(&self, address: &str) {
        self.driver.goto("about:blank").await.unwrap();
        self.driver.goto(self.server.url(address)).await.unwrap();
        self.settled().await;
    }

    /// Waits until nothing is being solved.
    pub async fn settled(&self) {
        self.until(
            "document.querySelector('#verdict-title').textContent !== 'Ready' && \
             !document.querySelector('#verdict').ariaBusy",
        )
        .await;
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) {
        let began = Instant::now();
        while self.js(&format!("return Boolean({expression})")).await != true {
            if began.elapsed() > PATIENCE {
                let address = self.js("return location.href").await;
                panic!("never: {expression}; at {address}: {:?}", self.verdict().await);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Runs JavaScript in the page.
    pub async fn js(&self, script: &str) -> Value {
        self.driver.execute(script, Vec::new()).await.unwrap().json().clone()
    }

    /// Runs JavaScript that calls `arguments[0]` when it is done.
    pub async fn js_async(&self, script: &str) -> Value {
        self.driver.execute_async(script, Vec::new()).await.unwrap().json().clone()
    }

    async fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.driver.cdp().send_raw(command, parameters).await.unwrap()
    }

    /// The text of an element.
    pub async fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector('{selector}').textContent");
        self.js(&script).await.as_str().unwrap().to_owned()
    }

    /// The heading that says how it went, and the reason below it.
    pub async fn verdict(&self) -> (String, String) {
        (self.text("#verdict-title").await, self.text("#reason").await)
    }

    /// A line of the facts.
    pub async fn fact(&self, name: &str) -> String {
        let script = format!(
            "return [...document.querySelectorAll('#facts div')].find(line => line.children[0].textContent === \
             '{name}')?.children[1].textContent ?? 'no such fact'"
        );
        self.js(&script).await.as_str().unwrap().to_owned()
    }

    /// Waits until the address is this, from the # on. It follows a tenth of a second behind.
    pub async fn is_at(&self, hash: &str) {
        self.until(&format!("location.hash === {hash:?}")).await;
    }

    /// Clicks a control.
    pub async fn click(&self, selector: &str) {
        self.driver.find(By::Css(selector)).await.unwrap().click().await.unwrap();
    }

    /// Clicks the choice or tick box in a label that has this text.
    pub async fn choose(&self, label: &str) {
        let label = format!("//label[not(ancestor-or-self::*[@hidden]) and normalize-space()='{label}']");
        self.driver.find(By::XPath(label)).await.unwrap().click().await.unwrap();
    }

    /// Replaces what a field holds.
    pub async fn fill(&self, selector: &str, text: &str) {
        let field = self.driver.find(By::Css(selector)).await.unwrap();
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Chooses from a list. The driver's own click on an option tells the page nothing.
    pub async fn select(&self, selector: &str, value: &str) {
        let script = format!(
            "const list = document.querySelector('{selector}'); list.value = '{value}'; \
             list.dispatchEvent(new Event('input', {{ bubbles: true }})); return list.value"
        );
        assert_eq!(self.js(&script).await, value);
    }

    /// Clicks a square of a board that is drawn as SVG, and waits for the answer.
    pub async fn touch(&self, square: (u32, u32)) {
        self.drag(&[square]).await;
    }

    /// Presses on the first square and lets go on the last.
    pub async fn drag(&self, squares: &[(u32, u32)]) {
        let mut actions = self.driver.action_chain_with_delay(None, Some(Duration::from_millis(20)));
        for (at, square) in squares.iter().enumerate() {
            let (x, y) = self.middle(*square).await;
            actions = actions.move_to(x, y);
            if at == 0 {
                actions = actions.click_and_hold();
            }
        }
        actions.release().perform().await.unwrap();
        self.settled().await;
    }

    /// Clicks a square with the shift key down.
    pub async fn shift_touch(&self, square: (u32, u32)) {
        let (x, y) = self.middle(square).await;
        let actions = self.driver.action_chain_with_delay(None, Some(Duration::from_millis(20)));
        let actions = actions.key_down(Key::Shift).move_to(x, y).click().key_up(Key::Shift);
        actions.perform().await.unwrap();
        self.settled().await;
    }

    /// The middle of a square, in pixels of the window.
    async fn middle(&self, (row, col): (u32, u32)) -> (i64, i64) {
        let script = format!(
            "document.querySelector('#board').scrollIntoView({{block: 'nearest'}}); \
             const matrix = document.querySelector('#board svg').getScreenCTM(); \
             const point = new DOMPoint({col}.5, {row}.5).matrixTransform(matrix); \
             return [Math.round(point.x), Math.round(point.y)]"
        );
        let point = self.js(&script).await;
        (point[0].as_i64().unwrap(), point[1].as_i64().unwrap())
    }

    /// Presses keys one after the other.
    pub async fn keys(&self, keys: &[char]) {
        let mut actions = self.driver.action_chain_with_delay(Some(Duration::ZERO), None);
        for key in keys {
            actions = actions.key_down(*key).key_up(*key);
        }
        actions.perform().await.unwrap();
    }

    /// Presses a key with the shift key down.
    pub async fn shift_key(&self, key: Key) {
        let actions = self.driver.action_chain_with_delay(Some(Duration::ZERO), None);
        let actions = actions.key_down(Key::Shift).key_down(key.clone()).key_up(key).key_up(Key::Shift);
        actions.perform().await.unwrap();
    }

    /// Goes back in the window's history.
    pub async fn back(&self) {
        self.driver.back().await.unwrap();
        self.settled().await;
    }

    /// Waits for a file that was downloaded.
    pub async fn downloaded(&self, name: &str) -> Vec<u8> {
        let path = self.downloads.path().join(name);
        let began = Instant::now();
        // It has its name only when it is complete.
        while !path.exists() {
            assert!(began.elapsed() < PATIENCE, "{name} never comes");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        std::fs::read(path).unwrap()
    }

    /// Keeps a picture of the window in `target/screenshots`.
    pub async fn screenshot(&self, name: &str) {
        self.until("document.querySelector('#copyable').textContent").await;
        let directory = target().join("screenshots");
        std::fs::create_dir_all(&directory).unwrap();
        let picture = self.driver.screenshot_as_png().await.unwrap();
        std::fs::write(directory.join(format!("{name}.png")), picture).unwrap();
    }

    /// The page as it would be printed.
    pub async fn printed(&self, orientation: PrintOrientation) -> Vec<u8> {
        self.driver.print_page(PrintParameters { orientation, ..Default::default() }).await.unwrap()
    }

    /// What the browser complained of since it was asked last: errors, warnings, breaches of the security policy.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.driver.browser_log().await.unwrap();
        let bad = log.into_iter().filter(|entry| ["SEVERE", "WARNING"].contains(&entry.level.as_str()));
        bad.map(|entry| entry.message).collect()
    }

    /// Closes the window, in which nothing must have gone wrong.
    pub async fn close(self) {
        assert_eq!(self.complaints().await, [""; 0]);
        self.driver.quit().await.unwrap();
    }
}

/// Where builds go.
pub fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target")
}

/// Starts a driver on a port that it chooses.
fn start() -> (Driver, u16) {
    // It looks for a port that is free for IPv4 and then wants it for IPv6 as well, where somebody may have it.
    (0..10).find_map(|_| attempt()).expect("the driver finds a port")
}

fn attempt() -> Option<(Driver, u16)> {
    let process = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn();
    let mut process =
        Driver(process.expect("chromedriver runs; Debian has it in the package chromium-driver"));
    let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
    let port = lines.by_ref().find_map(|line| {
        let line = line.unwrap();
        line.strip_prefix("ChromeDriver was started successfully on port ")?
            .trim_end_matches('.')
            .parse()
            .ok()
    })?;
    // Whoever writes to a pipe that nobody reads is stopped.
    std::thread::spawn(move || lines.for_each(drop));
    Some((process, port))
}
