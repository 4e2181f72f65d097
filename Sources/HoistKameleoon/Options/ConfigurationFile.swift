public import HoistCore
internal import HoistPropertyList

/// Configuration files: JSON, or the property list that the vendor's SDK for Apple's platforms reads (KAM-01). Both have names
/// of properties for keys.
public enum ConfigurationFile {
  /// Why a file cannot be used; `message` is one line that names the file, the place and the key.
  public struct Failure: Error, Sendable {
    public var status: Status
    public var message: String
  }

  private static let limitBytes = 1 << 20

  /// Values with all that the file says; none of it when something is refused.
  public static func applying(path: String, to values: PropertyValues) throws(Failure) -> PropertyValues {
    var values = values
    let content: [UInt8]
    do throws(FileContent.Failure) {
      content = try FileContent.read(path: path, limitBytes: limitBytes) { values.doubts.append("configuration file: \($0)") }
    } catch {
      throw Failure(status: .io, message: error.message)
    }
    do throws(Failure) {
      return try applying(content, to: values)
    } catch {
      throw Failure(status: error.status, message: "\"\(path)\": \(error.message)")
    }
  }

  static func applying(_ content: [UInt8], to values: PropertyValues) throws(Failure) -> PropertyValues {
    let isXML = content.first { !isBlank($0) } == UInt8(ascii: "<")
    return try isXML ? applying(propertyList: content, to: values) : applying(json: content, to: values)
  }

  /// Blanks, and the bytes of a byte-order mark.
  private static func isBlank(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") || [0xEF, 0xBB, 0xBF].contains(byte) }

  private static func applying(json: [UInt8], to values: PropertyValues) throws(Failure) -> PropertyValues {
    let result = json.withUnsafeBytes { bytes in
      Result { () throws(PropertyListing.Failure) in try PropertyListing.applying(bytes, to: values) }
    }
    switch result {
    case .success(let values): return values
    case .failure(let failure):
      throw Failure(status: failure.isUnreadable ? .parse : .configuration, message: failure.message)
    }
  }

  private static func applying(propertyList: [UInt8], to values: PropertyValues) throws(Failure) -> PropertyValues {
    let list: PropertyList
    do throws(PropertyList.Failure) {
      list = try PropertyList(propertyList)
    } catch {
      throw Failure(status: .parse, message: "the property list cannot be read: \(error.message)")
    }
    var changed = values
    for entry in list.entries {
      do throws(ConfigurationFailure) {
        try changed.set(entry.key, entry.text)
      } catch {
        throw Failure(status: .configuration, message: "line \(entry.line): \(error.message)")
      }
    }
    return changed
  }
}
