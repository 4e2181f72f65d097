internal import CShims
internal import Glibc

/// An event descriptor that ends the network thread's wait. A host that becomes a daemon closes descriptors that are not its
/// own; the number may then be another file's, which must be neither read nor written.
struct Alarm {
  let descriptor: Int32
  /// What tells the file from others: its device and its number there.
  private let file: (UInt, UInt)

  /// Nil when the system has none.
  init?() {
    descriptor = shim_event_new()
    guard descriptor >= 0 else { return nil }
    guard let file = Self.file(of: descriptor) else {
      shim_event_free(descriptor)
      return nil
    }
    self.file = file
  }

  /// False once the host has closed it.
  var isOpen: Bool { Self.file(of: descriptor).map { $0 == file } ?? false }

  func ring() { if isOpen { shim_event_set(descriptor) } }
  func silence() { if isOpen { shim_event_clear(descriptor) } }

  private static func file(of descriptor: Int32) -> (UInt, UInt)? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? (UInt(status.st_dev), UInt(status.st_ino)) : nil
  }
}
