import CHoist
import Synchronization

/// A client's change to another context, on its way.
final class Identification: Sendable {
  private let outcome = Mutex<hoist_status?>(nil)

  /// nil as long as it is not over.
  var status: hoist_status? { outcome.withLock { $0 } }

  init(_ client: OpaquePointer, _ context: Context) {
    let data = Unmanaged.passRetained(self).toOpaque()
    let done: hoist_done = { data, status in
      guard let data else { return }
      Unmanaged<Identification>.fromOpaque(data).takeRetainedValue().end(status)
    }
    let status = hoist_client_identify(client, context.handle, done, data)
    guard status != HOIST_OK else { return }
    Unmanaged<Identification>.fromOpaque(data).release()
    end(status)
  }

  private func end(_ status: hoist_status) { outcome.withLock { $0 = status } }
}
