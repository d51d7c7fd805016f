"""What the state machine draws from: mostly what keeps a queue busy, and every kind of mistake."""

from hypothesis import strategies as st

MAIN, OTHER, DEAD = 0, 1, 2
QUEUES = st.sampled_from([*[MAIN] * 7, DEAD, DEAD, OTHER])
KINDS = st.sampled_from(["plain", "fair", "scope queue", "scope messageGroup"])
GROUPS = st.sampled_from(["red", "red", "green", "blue"])
# None: an id (or, by content, a body) of its own.
REPEATS = st.sampled_from([None, None, None, "once", "twice"])
DELAYS = st.sampled_from([None, None, None, 0, 2, 900])
SENDS = st.tuples(GROUPS, REPEATS, DELAYS)
VISIBILITY = st.sampled_from([None, 0, 1, 2, 30, 30, 43_200])
CHANGED_VISIBILITY = st.sampled_from([0, 0, 0, 1, 2, 30, 43_200])
ATTEMPTS = st.sampled_from([None, None, None, "first", "second"])
# Which handle, counted back from the newest; at the end one of another queue, one bent, and garbage.
FOREIGN, BENT, GARBAGE = 97, 98, 99
HANDLES = st.sampled_from([*range(10), *range(6), *range(4), 14, 20, FOREIGN, BENT, GARBAGE])
STEPS_MS = st.sampled_from([1, 999, 1_000, 2_000, 30_000])
LEAPS_MS = st.sampled_from([60_000, 60_000, 300_000, 300_000, 3_600_000, 43_200_000, 345_600_000])
CHANGES = st.sampled_from(
    [
        *(("DelaySeconds", value) for value in (0, 2, 60)),
        *(("VisibilityTimeout", value) for value in (0, 2, 30)),
        *(("MessageRetentionPeriod", value) for value in (60, 120, 345_600, 1_209_600)),
        *(("RedrivePolicy", (target, n)) for target in (MAIN, OTHER, DEAD) for n in (1, 2, 3)),
        *(("RedrivePolicy", None),) * 3,
    ]
)
DESTINATIONS = st.sampled_from([None, None, MAIN, OTHER, DEAD])
RATES = st.sampled_from([None, 1, 2, 500])
