internal import CShims
internal import Glibc
internal import HoistCore

/// The property `plugins`: shared objects that a configuration names, with the options of each.
extension Plugins {
  /// These and the ones that are named, in the order of their names. Made anew for each client.
  func loading(_ values: PropertyValues, for provider: String) throws(ConfigurationFailure) -> Plugins {
    var all = self
    for (name, options) in values.textMap("plugins").sorted(by: { $0.key < $1.key }) {
      do throws(Refusal) {
        let object = try PluginObject(path: try Self.path(of: name))
        all = try object.installing(into: all, of: provider, options: options, besides: nil)
      } catch {
        throw ConfigurationFailure("plugins", "property \"plugins\": \(error.message)")
      }
    }
    return all
  }

  /// A name without a slash is an installed object's: `libhoist-NAME.so` in the folder `hoist` beside the library.
  private static func path(of name: String) throws(Refusal) -> String {
    guard !name.isEmpty, !name.utf8.contains(0) else { throw Refusal(.configuration, "a plug-in's name is empty, or has a NUL") }
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return name }
    guard let folder = libraryFolder else {
      throw Refusal(.configuration, "the folder of the library is not known, so give the path of the plug-in \(name)")
    }
    return "\(folder)/hoist/libhoist-\(name).so"
  }

  private static var libraryFolder: String? {
    guard let file = shim_object_file(), let path = realpath(file, nil) else { return nil }
    defer { free(path) }
    let bytes = String(cString: path).utf8
    return bytes.lastIndex(of: UInt8(ascii: "/")).map { String(bytes[..<$0]) ?? "" }
  }
}
