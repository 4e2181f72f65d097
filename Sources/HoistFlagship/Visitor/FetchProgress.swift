/// The state of a visitor's flags (FS-45); the numbers of `hoist/flagship/visitor.h`.
public enum FetchStatus: Int32, Sendable, CaseIterable {
  case fetched = 0
  case fetching
  case fetchRequired
  case panic

  public var name: StaticString {
    switch self {
    case .fetched: "FETCHED"
    case .fetching: "FETCHING"
    case .fetchRequired: "FETCH_REQUIRED"
    case .panic: "PANIC"
    }
  }
}

/// Why they have to be fetched (FS-46); likewise.
public enum FetchReason: Int32, Sendable, CaseIterable {
  case none = 0
  case visitorCreate
  case updateContext
  case authenticate
  case unauthenticate
  case fetchError
  case fetchedFromCache

  public var name: StaticString {
    switch self {
    case .none: "NONE"
    case .visitorCreate: "VISITOR_CREATE"
    case .updateContext: "UPDATE_CONTEXT"
    case .authenticate: "AUTHENTICATE"
    case .unauthenticate: "UNAUTHENTICATE"
    case .fetchError: "FETCH_ERROR"
    case .fetchedFromCache: "FETCHED_FROM_CACHE"
    }
  }

  /// What newer SDKs of the vendor call it (FS-205).
  public var newerName: StaticString {
    switch self {
    case .none: "NONE"
    case .visitorCreate: "FLAGS_NEVER_FETCHED"
    case .updateContext: "VISITOR_CONTEXT_UPDATED"
    case .authenticate: "VISITOR_AUTHENTICATED"
    case .unauthenticate: "VISITOR_UNAUTHENTICATED"
    case .fetchError: "FLAGS_FETCHING_ERROR"
    case .fetchedFromCache: "FLAGS_FETCHED_FROM_CACHE"
    }
  }
}

/// Fetch status and its reason, which change together (protocols/flagship.md 5.3).
struct FetchProgress: Sendable, Equatable {
  private(set) var status: FetchStatus
  private(set) var reason: FetchReason

  private init(_ status: FetchStatus, _ reason: FetchReason) {
    self.status = status
    self.reason = reason
  }

  /// A visitor that nothing is cached of (FS-52).
  static var created: FetchProgress { FetchProgress(.fetchRequired, .visitorCreate) }
  /// Flags of an earlier run are served (FS-51).
  static var foundInCache: FetchProgress { FetchProgress(.fetchRequired, .fetchedFromCache) }
  /// Also when no value is another one (FS-47).
  static var contextUpdated: FetchProgress { FetchProgress(.fetchRequired, .updateContext) }
  /// FS-48
  static var authenticated: FetchProgress { FetchProgress(.fetchRequired, .authenticate) }
  /// FS-49
  static var unauthenticated: FetchProgress { FetchProgress(.fetchRequired, .unauthenticate) }
  /// FS-54
  static var fetching: FetchProgress { FetchProgress(.fetching, .none) }
  /// FS-55
  static var fetched: FetchProgress { FetchProgress(.fetched, .none) }
  /// FS-50
  static var failed: FetchProgress { FetchProgress(.fetchRequired, .fetchError) }
  /// FS-53
  static var panic: FetchProgress { FetchProgress(.panic, .none) }
  /// A fetch before the SDK was started (5.1).
  static var notStarted: FetchProgress { FetchProgress(.fetchRequired, .none) }
}
