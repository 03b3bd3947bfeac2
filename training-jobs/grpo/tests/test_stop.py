from grpo.stop import StopRequest


def test_without_a_request_there_is_all_the_time_in_the_world() -> None:
    stop = StopRequest(90)
    assert not stop.requested
    assert not stop.too_late_for(1e9)


def test_the_grace_runs_from_the_first_request() -> None:
    now = [100.0]
    stop = StopRequest(90, clock=lambda: now[0])
    stop.request()
    now[0] = 160.0
    stop.request()
    assert stop.requested
    assert not stop.too_late_for(29)
    assert stop.too_late_for(31)
