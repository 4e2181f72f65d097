internal import HoistBase
internal import HoistCore

/// What a client knows of users by their ids, for evaluations of the core, which have no user context: forced variations and
/// kept profiles. Lives as long as a snapshot that is served with it, which may be longer than the client. Thread-safe.
final class UserRecords: @unchecked Sendable {
  /// Set once in `init`; nil when the client is gone.
  private weak var profiles: ProfileStore?
  private let forcedVariations: ForcedVariations
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
    var profile: StoredProfile?
    if !options.contains(.ignoreUserProfileService), let profiles, !profiles.isHosts {
      profile = profiles.lookUp(user, hash: hash)
    }
    return SubjectState.with(known, forcedVariations.entry(of: user, hash: hash), profile, body)
  }
}
