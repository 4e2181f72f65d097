/// Makes late answers harmless: an answer counts only while the token it was asked with is current.
///
/// A value, to be kept by one thread or under a lock. It changes with each start, stop, fork or newer request.
public struct Generation: Sendable {
  /// What an asker keeps until its answer comes.
  public struct Token: Sendable, Equatable {
    fileprivate let number: UInt64
  }

  private var number: UInt64 = 0

  public init() {}

  /// Invalidates the answers to earlier requests.
  /// - Returns: the token of the next request.
  @discardableResult
  public mutating func advance() -> Token {
    number &+= 1
    return current
  }

  public var current: Token { Token(number: number) }

  public func isCurrent(_ token: Token) -> Bool { token.number == number }
}
