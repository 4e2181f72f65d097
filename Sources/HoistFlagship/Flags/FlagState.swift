/// Where a flag stands (FS-75); the numbers of `hoist/flagship/flags.h`.
public enum FlagState: Int32, Sendable, CaseIterable {
  case fetched = 0
  case fetchRequired
  case notFound
  case panic

  public var name: StaticString {
    switch self {
    case .fetched: "FETCHED"
    case .fetchRequired: "FETCH_REQUIRED"
    case .notFound: "NOT_FOUND"
    case .panic: "PANIC"
    }
  }
}
