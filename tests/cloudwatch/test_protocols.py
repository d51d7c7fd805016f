"""The three protocols of CloudWatch, byte by byte."""

import botocore.session
import cbor2
import pytest
from botocore.config import Config

from tests.cloudwatch.conftest import in_json, in_query, now_s
from tests.http.connections import ask

CBOR = {"content-type": "application/cbor", "smithy-protocol": "rpc-v2-cbor", "accept": "application/cbor"}
PATH = "/service/GraniteServiceVersion20100801/operation/"


def in_cbor(server, action, body):
    return ask(server.url, "POST", PATH + action, body, CBOR)


def botocore_speaking(server, protocol):
    session = botocore.session.Session()
    metadata = session.get_component("data_loader").load_service_model("cloudwatch", "service-2", None)[
        "metadata"
    ]
    metadata |= {"protocol": protocol, "protocols": [protocol]}
    client = session.create_client(
        "cloudwatch",
        region_name="us-east-1",
        endpoint_url=server.url,
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"total_max_attempts": 1}),
    )
    assert client.meta.service_model.resolved_protocol == protocol
    return client


ALARM = (
    "Action=PutMetricAlarm&AlarmName=old&Namespace=AWS/SQS&MetricName=NumberOfMessagesSent&Statistic=Sum"
    "&Period=60&EvaluationPeriods=1&Threshold=1.5&ComparisonOperator=GreaterThanThreshold"
    "&Dimensions.member.1.Name=QueueName&Dimensions.member.1.Value=orders&ActionsEnabled=false"
    "&AlarmActions.member.1=arn:a&AlarmActions.member.2=arn:b"
)


def test_botocore_reads_the_same_in_each_protocol(server, sqs, orders):
    in_query(server, ALARM)
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=60)
    metric = {
        "Namespace": "AWS/SQS",
        "MetricName": "NumberOfMessagesSent",
        "Dimensions": [{"Name": "QueueName", "Value": "orders"}],
    }
    when = {"StartTime": now_s(server) - 60, "EndTime": now_s(server)}
    query = {"Id": "a", "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}}

    def read(protocol):
        client = botocore_speaking(server, protocol)
        answers = [
            client.describe_alarms(),
            client.describe_alarms_for_metric(**metric),
            client.list_metrics(**metric),
            client.get_metric_statistics(**metric, **when, Period=60, Statistics=["Sum", "Average"]),
            client.get_metric_data(MetricDataQueries=[query], **when),
        ]
        return [{**answer, "ResponseMetadata": None} for answer in answers]

    found = read("smithy-rpc-v2-cbor")
    assert found[3]["Datapoints"][0]["Sum"] == 1.0
    assert found == read("json") == read("query")


def test_query_spells_lists_as_members(server, orders):
    assert in_query(server, ALARM)[0] == 200
    status, root = in_query(server, "Action=DescribeAlarms&AlarmNames.member.1=old")
    alarm = root.find("DescribeAlarmsResult/MetricAlarms/member")
    assert (status, root.tag) == (200, "DescribeAlarmsResponse")
    assert alarm.findtext("Threshold") == "1.5"
    assert alarm.findtext("ActionsEnabled") == "false"
    assert [one.text for one in alarm.findall("AlarmActions/member")] == ["arn:a", "arn:b"]
    assert alarm.findtext("Dimensions/member/Value") == "orders"
    assert alarm.findtext("StateUpdatedTimestamp") == "2026-01-01T00:00:00.000Z"
    assert len(root.findtext("ResponseMetadata/RequestId")) == 36


def test_an_action_without_an_answer_has_metadata_only(server, orders):
    _, root = in_query(server, ALARM)
    assert (root.tag, [child.tag for child in root]) == ("PutMetricAlarmResponse", ["ResponseMetadata"])


def test_query_tells_errors_in_xml(server):
    status, root = in_query(server, "Action=GetMetricStatistics&Namespace=AWS/SQS")
    assert (status, root.tag) == (400, "ErrorResponse")
    assert root.findtext("Error/Type") == "Sender"
    assert root.findtext("Error/Code") == "MissingParameter"
    assert root.findtext("Error/Message") == "The parameter MetricName is required."


def test_times_are_numbers_in_json_and_texts_in_query(server, sqs, orders):
    sqs.send_message(QueueUrl=orders, MessageBody="x")
    server.clock.advance(seconds=60)
    now = now_s(server)
    asked = {
        "Namespace": "AWS/SQS",
        "MetricName": "NumberOfMessagesSent",
        "Dimensions": [{"Name": "QueueName", "Value": "orders"}],
        "StartTime": now - 60,
        "EndTime": now,
        "Period": 60,
        "Statistics": ["Sum"],
    }
    status, answer, headers = in_json(server, "GetMetricStatistics", **asked)
    assert (status, headers["content-type"]) == (200, "application/x-amz-json-1.0")
    assert answer["Datapoints"] == [{"Timestamp": now - 60, "Sum": 1.0, "Unit": "Count"}]
    _, root = in_query(
        server,
        "Action=GetMetricStatistics&Namespace=AWS/SQS&MetricName=NumberOfMessagesSent&Period=60"
        "&Dimensions.member.1.Name=QueueName&Dimensions.member.1.Value=orders&Statistics.member.1=Sum"
        "&StartTime=2026-01-01T00:00:00Z&EndTime=2026-01-01T00:01:00Z",
    )
    point = root.find("GetMetricStatisticsResult/Datapoints/member")
    assert (point.findtext("Timestamp"), point.findtext("Sum")) == ("2026-01-01T00:00:00.000Z", "1.0")


def test_json_tells_errors_with_the_code_of_query_in_a_header(server):
    status, answer, headers = in_json(
        server, "SetAlarmState", AlarmName="x", StateValue="OK", StateReason="x"
    )
    assert status == 404
    assert answer["__type"] == "com.amazonaws.cloudwatch#ResourceNotFound"
    assert headers["x-amzn-query-error"] == "ResourceNotFound;Sender"


def test_an_error_that_aws_has_no_text_for_has_none(server):
    members = {"AlarmName": "x", "StateValue": "OK", "StateReason": "x"}
    _, answer, _ = in_json(server, "SetAlarmState", **members)
    assert answer == {"__type": "com.amazonaws.cloudwatch#ResourceNotFound"}
    _, root = in_query(server, "Action=SetAlarmState&AlarmName=x&StateValue=OK&StateReason=x")
    assert [child.tag for child in root.find("Error")] == ["Type", "Code"]


def test_everything_that_is_missing_is_named_at_once(server):
    _, answer, headers = in_json(server, "SetAlarmState", AlarmName="", StateValue="OK")
    assert answer == {
        "__type": "com.amazonaws.cloudwatch#ValidationException",
        "message": "2 validation errors detected: Value null at 'stateReason' failed to satisfy constraint: "
        "Member must not be null; Value '' at 'alarmName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
    }
    assert headers["x-amzn-query-error"] == "ValidationError;Sender"


def test_cbor_has_its_protocol_in_a_header_and_times_with_tag_1(server, orders):
    in_query(server, ALARM)
    answer = in_cbor(server, "DescribeAlarms", cbor2.dumps({}))
    assert (answer.status, answer.headers["smithy-protocol"]) == (200, "rpc-v2-cbor")
    assert answer.headers["content-type"] == "application/cbor"
    assert b"\xc1" in answer.body
    (alarm,) = cbor2.loads(answer.body)["MetricAlarms"]
    assert alarm["StateUpdatedTimestamp"].timestamp() == now_s(server)


@pytest.mark.parametrize("body", [b"\xff\xff", b"\x81\x01", cbor2.dumps("text"), b"\xa1"])
def test_what_is_no_cbor_map_is_refused(server, body):
    answer = in_cbor(server, "DescribeAlarms", body)
    assert (answer.status, cbor2.loads(answer.body)["__type"]) == (
        400,
        "com.amazonaws.cloudwatch#SerializationException",
    )


@pytest.mark.parametrize(
    "ask_for",
    [
        lambda server: in_query(server, "Action=ListDashboards")[0],
        lambda server: in_json(server, "ListDashboards")[0],
        lambda server: in_cbor(server, "ListDashboards", b"").status,
        lambda server: in_query(
            server, "Dimensions.member.1=a&Dimensions.member.1.Name=b&Action=ListMetrics"
        )[0],
        lambda server: in_query(server, f"Action=ListMetrics&{'a.' * 5_000}b=1")[0],
        lambda server: in_query(server, f"Action=ListMetrics&Dimensions.member.{'9' * 5_000}=x")[0],
        lambda server: in_json(server, "ListMetrics", Dimensions="text")[0],
        lambda server: in_json(server, "ListMetrics", NextToken="nonsense")[0],
        lambda server: in_json(server, "GetMetricData", MetricDataQueries=[{}], StartTime=0, EndTime=1)[0],
    ],
    ids=["query", "json", "cbor", "twice", "deep", "number", "type", "token", "id"],
)
def test_bad_requests_get_a_400(server, ask_for):
    assert ask_for(server) == 400


def test_requests_are_seen_under_the_names_of_their_actions(server):
    in_json(server, "ListMetrics")
    in_json(server, "ListDashboards")
    assert [one.action for one in server.emulator.traffic.latest(2)] == ["-", "ListMetrics"]
