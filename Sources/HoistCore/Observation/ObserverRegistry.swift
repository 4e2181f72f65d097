internal import HoistBase

/// The observers of one client. Thread-safe.
final class ObserverRegistry: @unchecked Sendable {
  struct Registration: Sendable {
    var token: UInt64
    var topic: Topic
    /// The flag it is about; nil for all.
    var key: String?
    var observer: any Observer
    var knows = false
  }

  private let lock = Lock()
  private var registrations: [Registration] = []

  func add(_ topic: Topic, key: String?, _ observer: any Observer) -> Registration {
    lock.withLock {
      let registration = Registration(token: RegistrationToken.next(), topic: topic, key: key, observer: observer)
      registrations.append(registration)
      return registration
    }
  }

  func remove(_ token: UInt64) -> Bool {
    // The observer is let go outside the lock: its `release` is host code.
    let removed = lock.withLock { () -> Registration? in
      registrations.firstIndex { $0.token == token }.map { registrations.remove(at: $0) }
    }
    return removed != nil
  }

  func removeAll() {
    let gone = lock.withLock {
      defer { registrations = [] }
      return registrations
    }
    _ = gone.count
  }

  /// Whether a registration is still wanted: asked again just before its call.
  func contains(_ token: UInt64) -> Bool { lock.withLock { registrations.contains { $0.token == token } } }

  /// An observer that comes while the client becomes ready, or initialized, may be notified by both.
  /// - Returns: true once for each registration.
  func claim(_ token: UInt64) -> Bool {
    lock.withLock {
      guard let at = registrations.firstIndex(where: { $0.token == token }), !registrations[at].knows else {
        return false
      }
      registrations[at].knows = true
      return true
    }
  }

  /// The client starts again: topics announced once per start may be announced again.
  func beginAnew() {
    lock.withLock {
      for at in registrations.indices { registrations[at].knows = false }
    }
  }

  func isObserved(_ topic: Topic) -> Bool { lock.withLock { registrations.contains { $0.topic == topic } } }

  func observers(of notification: Notification) -> [Registration] {
    lock.withLock {
      registrations.filter { registration in
        guard registration.topic == notification.topic else { return false }
        guard let key = registration.key else { return true }
        return notification.keys.contains { $0.utf8.elementsEqual(key.utf8) }
      }
    }
  }
}
