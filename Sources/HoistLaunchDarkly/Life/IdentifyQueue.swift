internal import HoistCore

/// Changes the context, on the scheduler's thread; `completion` runs once.
protocol IdentifyDelegate: AnyObject {
  func run(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void)
}

/// Changes of the context, one at a time (5.5). On the scheduler's thread.
final class IdentifyQueue: LaunchDarklyPart, @unchecked Sendable {
  private let host: any ProviderHost
  weak var delegate: (any IdentifyDelegate)?

  init(host: any ProviderHost) { self.host = host }

  func add(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    guard let delegate else { return completion(.cancelled) }
    delegate.run(context, completion: completion)
  }
}
