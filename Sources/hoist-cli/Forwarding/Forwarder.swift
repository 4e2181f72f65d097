/// Keeps a source going, and tells of it, until it is told to stop.
struct Forwarder {
  let source: any ForwardSource
  var report: ForwardReport
  let everyMilliseconds: Int64
  let metrics: MetricsServer?

  private static let stepMilliseconds: Int32 = 50

  /// - Returns: whether nothing is left of what was taken.
  mutating func run(drainMilliseconds: Int64) throws -> Bool {
    try source.start()
    report.began(source.place, source.servicePlace)
    if let metrics { Output.error("hoist: figures on http://127.0.0.1:\(metrics.port)/metrics") }
    var next = Moment.monotonicMilliseconds + everyMilliseconds
    while !Interrupt.isSeen {
      try source.run(milliseconds: Self.stepMilliseconds)
      metrics?.step { MetricsPage.text(source.figures) }
      guard Moment.monotonicMilliseconds >= next else { continue }
      report.tell(source.figures)
      next = Moment.monotonicMilliseconds + everyMilliseconds
    }
    report.draining(source.figures)
    let isDone = source.drain(milliseconds: drainMilliseconds)
    report.ended(source.figures, isDone: isDone)
    return isDone
  }
}
