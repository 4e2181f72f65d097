"""Runs the program `optimizely_platform` against a strict simulator of Optimizely's services, where mia has subscribed to
the newsletter. The simulator refuses any request that is not exactly as the data platform expects it.
"""
from day import program, run
from optimizely import OptimizelySimulator, sample_datafile


def main() -> None:
    with OptimizelySimulator(sample_datafile()) as service:
        service.customers.qualify("mia", "newsletter")
        said = "\n".join(run([program("optimizely_platform_program"), service.sdk_key, service.datafile_url, service.events_url],
                             "two platforms"))
        accepted = sorted(f"{event['type']}/{event['action']}" for event in service.ledger.platform_events())
        print("accepted by the service:", ", ".join(accepted))
        assert service.violations == [], service.violations
        assert accepted == ["fullstack/client_initialized", "fullstack/identified", "shop/bought"], accepted
        assert set(service.ledger.idempotence_ids().values()) == {1}
        # The service's own, then ours: neither platform hears of the other's users.
        assert said.count("rule ranking_regulars") == 2, said
        assert said.count("our platform gets") == 3, said


main()
