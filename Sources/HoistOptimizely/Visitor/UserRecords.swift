internal import HoistBase
internal import HoistCore

/// What a client knows of users by their ids, for evaluations of the core, which have no user context: forced variations and
/// kept profiles. Lives as long as a snapshot that is served with it, and holds none. Thread-safe.
final class UserRecords: Sendable {
  let profiles: ProfileStore
  let forcedVariations: ForcedVariations
  /// Those of the options of every decide call that are about what is kept and reported.
  let options: DecideOptions

  init(profiles: ProfileStore, forcedVariations: ForcedVariations, defaultOptions: DecideOptions) {
    self.profiles = profiles
    self.forcedVariations = forcedVariations
    options = profiles.options(defaultOptions).intersection([.disableDecisionEvent, .ignoreUserProfileService])
  }

  /// Runs `body` with what is known of a user.
  /// - Parameter known: what the caller knows already: where the host keeps profiles, its answer.
  @inline(__always)
  func with<Result>(
    _ context: FrozenContext, _ options: DecideOptions, knowing known: UnsafeRawPointer?, _ body: (UnsafeRawPointer?) -> Result
  ) -> Result {
    let (user, hash) = (context.targetingKey ?? .noBytes, context.head.pointee.keyHash)
    let usesShelf = !profiles.isHosts && !options.contains(.ignoreUserProfileService)
    return SubjectState.with(
      known, forcedVariations.entry(of: user, hash: hash), usesShelf ? profiles.lookUp(user, hash: hash) : nil, body)
  }
}
