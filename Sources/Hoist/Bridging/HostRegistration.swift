internal import CHoist
internal import HoistCore

/// Registers a host's table for a token, the same way for every kind of observer.
enum HostRegistration {
  /// - Parameters:
  ///   - adapter: nil for NULL, and for what is no such table. Made first: whatever happens next, `release` runs when it goes.
  ///   - register: answers a token, 0 where there is no room, nil for a table without the function that is to be called.
  static func add<Adapter>(
    _ adapter: Adapter?, _ token: UnsafeMutablePointer<hoist_token>?, _ register: (Adapter) throws -> UInt64?
  ) -> hoist_status {
    token?.pointee = 0
    return answer {
      guard let adapter else { throw Refusal(.argument, "the observer's table is none") }
      guard let registered = try register(adapter) else { throw Refusal(.argument, "the observer has no function for this") }
      token?.pointee = registered
      return registered == 0 ? .limit : .ok
    }
  }
}
