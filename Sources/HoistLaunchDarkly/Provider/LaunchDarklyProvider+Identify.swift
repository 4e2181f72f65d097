internal import HoistCore

/// A new context (5.5), on the scheduler's thread.
extension LaunchDarklyProvider: IdentifyDelegate {
  func run(_ context: ContextReference, completion: @escaping @Sendable (Status) -> Void) {
    online.restart(for: context) { [weak self] outcome in
      self?.host?.notify(Notification(.contextChanged))
      completion(outcome.status)
    }
  }
}
