public import HoistBase
public import HoistCore

extension Log {
  /// - Parameter threshold: nil writes nothing.
  public convenience init(threshold: LogLevel?, clock: any Clock, emit: @escaping @Sendable (LogLevel, String) -> Void) {
    self.init(threshold: LogThreshold(.upTo(threshold)), clock: clock, emit: emit)
  }
}
