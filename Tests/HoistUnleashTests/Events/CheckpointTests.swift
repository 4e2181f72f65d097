import HoistCore
import HoistTestSupport
import Testing

@testable import HoistUnleash

@Suite("How often the open bucket is stored (protocol D.4)") struct CheckpointTests {
  private let host = TestHost()

  /// Counts something of that size every tenth of a second, for ten seconds.
  /// - Returns: how often it was stored.
  private func checkpoints(labelBytes: Int) throws -> Int {
    let reporter = MetricsReporter(
      host: host, settings: try unleashOptions(), headerProvider: nil,
      values: try TestHost.values(table: UnleashProperties.table))
    reporter.impact.define("m", help: "", .counter)
    reporter.start()
    for _ in 0..<100 {
      reporter.impact.increment("m", by: 1, ["l": String(repeating: "x", count: labelBytes)])
      host.time.advance(milliseconds: 100)
    }
    defer { reporter.stop() }
    return host.drains.value
  }

  @Test("A small one at once, a large one less often: a megabyte per second at most (UNL-88; ready)")
  func largeBucketsAreStoredLessOften() throws {
    #expect(try checkpoints(labelBytes: 1) >= 95)
    host.drains.value = 0
    #expect(try (5...11).contains(checkpoints(labelBytes: 1 << 20)))
  }
}
