internal import HoistCore

/// What a client does to a context before it uses it, at its start and at every identify: keys for parts without one,
/// and what is known of the application and the machine (rows LD-02, LD-80). The result is compared with the current
/// context.
///
/// Called on the scheduler's thread, where completions run too.
final class ContextPreparation: Sendable {
  private let keys: GeneratedKeys
  /// Nil where contexts are not completed.
  private let environment: EnvironmentAttributes?

  init(keys: GeneratedKeys, environment: EnvironmentAttributes?) {
    self.keys = keys
    self.environment = environment
  }

  /// Whether a context is used as it is.
  func isNothing(for context: LDContext) -> Bool { environment == nil && !context.needsKeys }

  /// - Parameters:
  ///   - context: nil for the default one: an anonymous user.
  ///   - completion: runs once; at once when no key has to be looked up.
  func prepare(
    _ context: LDContext?, completion: @escaping @Sendable (Result<LDContext, ContextFailure>) -> Void
  ) {
    let context =
      context.map { Result<LDContext, ContextFailure>.success($0) }
      ?? Result { () throws(ContextFailure) in try LDContextBuilder().build() }
    guard case .success(let given) = context else { return completion(context) }
    keys.complete(given) { [keys, environment] completed in
      guard let environment, case .success(let context) = completed else { return completion(completed) }
      guard context.part(ofKind: EnvironmentAttributes.deviceKind) == nil else {
        return completion(.success(environment.completing(context, deviceKey: nil)))
      }
      keys.key(ofKind: EnvironmentAttributes.deviceKind) { key in
        completion(.success(environment.completing(context, deviceKey: key)))
      }
    }
  }
}
