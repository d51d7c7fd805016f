import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from emulator.web.kit.app import CALLS, application
from tests.kit.api import refusal


@pytest.fixture(scope="module")
def document(server):
    from tests.kit.api import Api

    return Api(server).get("openapi.json")


def test_the_document_is_valid_openapi_3_1(document):
    assert document["openapi"] == "3.1.0"
    OpenAPIV31SpecValidator(document).validate()


def test_the_document_has_the_routes_and_no_others(document, server):
    app = application(server.emulator, CALLS, None)
    routes = {(route.path, method) for route in app.routes for method in route.methods - {"HEAD"}}
    documented = {(path, method.upper()) for path, calls in document["paths"].items() for method in calls}
    assert documented == routes


def test_no_call_is_listed_twice():
    assert len({(call.method, call.path) for call in CALLS}) == len(CALLS)


def test_each_call_says_what_it_answers_and_refuses(document):
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            assert call["summary"], (path, method)
            assert set(call["responses"]) & {"200", "204"}, (path, method)
            for status, answer in call["responses"].items():
                if int(status) >= 400:
                    assert list(answer["content"]) == ["application/problem+json"], (path, method)


def test_parameters_of_the_path_are_documented_as_such(document):
    parameters = document["paths"]["/_emulator/journal/{message_id}"]["get"]["parameters"]
    assert [(one["name"], one["in"], one["required"]) for one in parameters] == [
        ("message_id", "path", True),
        ("account", "query", False),
    ]


def test_a_call_that_does_not_exist_is_a_problem_that_points_to_the_document(api):
    status, text = refusal(api.ask("GET", "nothing"))
    assert status == 404
    assert text == "GET /_emulator/nothing: there is no such call; see /_emulator/openapi.json"


def test_a_method_that_a_call_does_not_have_is_a_problem(api):
    answer = api.ask("PATCH", "clock")
    assert refusal(answer)[0] == 405
    assert {"GET", "DELETE"} <= set(answer.headers["allow"].replace(" ", "").split(","))


def test_a_body_over_the_limit_is_a_problem(api):
    assert refusal(api.ask("POST", "reset", b" " * 9_000_000))[0] == 413


def test_a_compressed_body_is_read(api):
    import gzip

    answer = api.ask("POST", "reset", gzip.compress(b'{"account": "1"}'), {"Content-Encoding": "gzip"})
    assert refusal(answer) == (400, "account: must be an account id of 12 digits")
    answer = api.ask("POST", "reset", b"x", {"Content-Encoding": "br"})
    assert refusal(answer) == (400, "The Content-Encoding of the request is not supported.")
