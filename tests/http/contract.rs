//! `openapi.yaml` and the code agree.

use std::collections::BTreeSet;

use crate::common::{CONTRACT, Server, resolve, validate};
use serde_json::{Value, json};

const PUZZLES: [&str; 3] = ["/tromino", "/knight-tour", "/queens"];

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    names.into_iter().collect()
}

fn parameters(path: &str) -> Vec<&'static Value> {
    let parameters = CONTRACT["paths"][path]["get"]["parameters"].as_array().unwrap();
    parameters.iter().map(resolve).collect()
}

fn request_schema(path: &str) -> &'static Value {
    resolve(&CONTRACT["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"])
}

#[test]
fn the_fields_of_a_puzzle_are_those_of_the_document() {
    for path in PUZZLES {
        let fields = chessboard_solver::http::fields_of(path).unwrap();
        let in_body = request_schema(path)["properties"].as_object().unwrap();
        assert_eq!(
            names(fields.iter().map(|field| field.name)),
            names(in_body.keys().map(String::as_str)),
            "{path}"
        );
        let in_query = parameters(path).into_iter().filter(|parameter| parameter["in"] == "query");
        let in_query = in_query.map(|parameter| parameter["name"].as_str().unwrap());
        let expected = fields.iter().filter(|field| !field.post_only).map(|field| field.name);
        assert_eq!(names(expected), names(in_query), "{path}");
    }
}

#[test]
fn the_schemas_of_requests_and_answers_are_closed() {
    for (name, schema) in CONTRACT["components"]["schemas"].as_object().unwrap() {
        if schema["type"] == "object" {
            assert_eq!(schema["additionalProperties"], false, "{name} lets anything through");
            let properties = schema["properties"].as_object().unwrap();
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(properties.contains_key(required.as_str().unwrap()), "{name} requires {required}");
            }
        }
    }
}

#[test]
fn every_field_has_a_type_a_description_and_an_example_or_is_named_by_its_schema() {
    for path in PUZZLES {
        for parameter in parameters(path) {
            assert!(parameter["description"].is_string(), "{path} {parameter}");
            assert!(resolve(&parameter["schema"])["type"].is_string(), "{path} {parameter}");
        }
    }
}

#[test]
fn examples_are_valid() {
    for path in PUZZLES {
        let media = &CONTRACT["paths"][path]["post"]["requestBody"]["content"]["application/json"];
        validate(&media["schema"], &media["example"]);
        for parameter in parameters(path) {
            if !parameter["example"].is_null() {
                validate(&parameter["schema"], &parameter["example"]);
            }
        }
    }
    for response in CONTRACT["components"]["responses"].as_object().unwrap().values() {
        for media in response["content"].as_object().into_iter().flatten().map(|(_, media)| media) {
            if !media["example"].is_null() {
                validate(&media["schema"], &media["example"]);
            }
        }
    }
}

#[tokio::test]
async fn every_documented_operation_is_routed_and_its_example_works() {
    let server = Server::start().await;
    for (path, operations) in CONTRACT["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            if path.starts_with("/jobs/") {
                // The id in the document is nobody's.
                let request =
                    server.client.get(server.url("/queens?size=8&seed=1")).header("prefer", "respond-async");
                let location = server.call(request).await.header("location").unwrap().to_owned();
                let url = server.url(&path.replace("/jobs/{id}", &location));
                let answer =
                    server.call(server.client.request(method.to_uppercase().parse().unwrap(), url)).await;
                assert!(answer.status.is_success(), "{method} {path}: {}", answer.text);
                continue;
            }
            let answer = match method.as_str() {
                "post" => {
                    let example = &operation["requestBody"]["content"]["application/json"]["example"];
                    server.post(path, example).await
                }
                "get" => {
                    let parameters = operation["parameters"].as_array().into_iter().flatten().map(resolve);
                    let (in_path, others): (Vec<_>, Vec<_>) = parameters.partition(|p| p["in"] == "path");
                    let in_query = others.into_iter().filter(|p| p["in"] == "query");
                    let mut target = path.clone();
                    for parameter in in_path {
                        let name = format!("{{{}}}", parameter["name"].as_str().unwrap());
                        target = target.replace(&name, parameter["example"].as_str().unwrap());
                    }
                    let pairs: Vec<_> = in_query.flat_map(pairs).collect();
                    server.get(&format!("{target}?{}", pairs.join("&"))).await
                }
                other => panic!("no test calls {other}"),
            };
            assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text);
        }
    }
}

/// A query parameter's example as `name=value` pairs.
fn pairs(parameter: &Value) -> Vec<String> {
    let name = parameter["name"].as_str().unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    match &parameter["example"] {
        Value::Null => Vec::new(),
        Value::Array(values) => values.iter().map(|value| format!("{name}={}", text(value))).collect(),
        value => vec![format!("{name}={}", text(value))],
    }
}

#[tokio::test]
async fn every_answer_in_the_document_is_what_the_server_says() {
    let server = Server::start().await;
    for (component, path) in [
        ("TrominoAnswer", "/tromino?size=2&holes=0,0"),
        ("KnightTourAnswer", "/knight-tour?rows=1&cols=2"),
        ("QueensAnswer", "/queens?size=4"),
    ] {
        let example =
            &CONTRACT["components"]["responses"][component]["content"]["application/json"]["example"];
        assert_eq!(&server.get(path).await.ok(), example, "{component}");
    }
}

#[tokio::test]
async fn the_document_is_served_in_both_forms() {
    let server = Server::start().await;
    let yaml = server.get("/openapi.yaml").await;
    assert_eq!(yaml.text, include_str!("../../openapi.yaml"));
    assert_eq!(server.get("/openapi.json").await.ok(), *CONTRACT);
}

#[tokio::test]
async fn every_problem_type_has_its_page() {
    let server = Server::start().await;
    let slugs = CONTRACT["components"]["schemas"]["ProblemSlug"]["enum"].as_array().unwrap();
    let kinds: Vec<_> =
        chessboard_solver::http::problem::Kind::ALL.iter().map(|kind| json!(kind.slug())).collect();
    assert_eq!(*slugs, kinds);
    for kind in chessboard_solver::http::problem::Kind::ALL {
        let page = server.get(&format!("/problems/{}", kind.slug())).await;
        assert!(page.text.contains(kind.title()), "{}", page.text);
    }
    server.get("/problems/none").await.problem(404, "not-found");
}

#[test]
fn the_document_has_the_version_of_the_program() {
    assert_eq!(CONTRACT["info"]["version"], env!("CARGO_PKG_VERSION"));
}
