import pytest

from emulator.domain.queue_names import require_queue_name, require_queue_name_given
from emulator.errors import InvalidParameterValue
from tests.domain.factories import refused

STANDARD = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
FIFO = (
    "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, "
    "must end with .fifo suffix and be 1 to 80 in length"
)
MISSING = "Value for parameter QueueName is invalid. Reason: Must specify a queue name."


@pytest.mark.parametrize("name", ["a", "Orders_2-x", "n" * 80])
def test_a_standard_name_has_letters_digits_hyphens_and_underscores(name):
    assert require_queue_name(name, fifo=False) == name


@pytest.mark.parametrize(
    "name", ["n" * 81, "a/b", "a.b", "orders.fifo", "a b", "ü", "a\n", "http://localhost/0/orders"]
)
def test_other_standard_names_are_refused(name):
    with refused(InvalidParameterValue, STANDARD):
        require_queue_name(name, fifo=False)


@pytest.mark.parametrize("name", ["a.fifo", "n" * 75 + ".fifo"])
def test_a_fifo_name_ends_with_its_suffix(name):
    assert require_queue_name(name, fifo=True) == name


@pytest.mark.parametrize(
    "name", ["orders", ".fifo", "n" * 76 + ".fifo", "a.b.fifo", "a.FIFO", "a/b.fifo", "a.fifo\n"]
)
def test_other_fifo_names_are_refused(name):
    with refused(InvalidParameterValue, FIFO):
        require_queue_name(name, fifo=True)


@pytest.mark.parametrize("fifo", [True, False])
def test_a_new_queue_needs_a_name(fifo):
    with refused(InvalidParameterValue, MISSING):
        require_queue_name(None, fifo=fifo)
    with refused(InvalidParameterValue, "Queue name cannot be empty"):
        require_queue_name("", fifo=fifo)


@pytest.mark.parametrize("name", [None, ""])
def test_looking_a_queue_up_needs_a_name(name):
    with refused(InvalidParameterValue, MISSING):
        require_queue_name_given(name)


@pytest.mark.parametrize("name", ["orders", "no such/name"])
def test_looking_a_queue_up_takes_any_name(name):
    assert require_queue_name_given(name) == name
