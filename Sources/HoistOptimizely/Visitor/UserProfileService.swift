/// A host's store of user profiles (`OPT-05`, protocols/optimizely.md 4.6).
///
/// Called on deciding threads, on several at once, and after asynchronous decisions on a lane; once before the decisions
/// of a call and, where something new is to be kept, once after them.
public protocol UserProfileService: AnyObject, Sendable {
  func lookUp(_ userID: [UInt8]) -> ProfileAnswer
  /// - Parameter profile: JSON, complete.
  /// - Returns: whether it was kept; what was not is logged and else ignored.
  func save(_ userID: [UInt8], _ profile: [UInt8]) -> Bool
}

public enum ProfileAnswer: Sendable, Equatable {
  /// JSON, as it was saved.
  case profile([UInt8])
  case none
  /// Counts as `none`, and is logged; nothing is saved then, which might take the place of what is kept.
  case failed
}

/// Names of Optimizely's own kinds of plug-ins in `Plugins.vendor`.
public enum OptimizelyPlugins {
  /// A `UserProfileService`.
  public static let profileService = "optimizely.profiles"
}
