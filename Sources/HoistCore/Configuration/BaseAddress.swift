internal import HoistBase

/// Addresses in properties, to which a service's paths are appended.
public enum BaseAddress {
  /// - Returns: the address, without slashes at its end.
  /// - Throws: what is no absolute http or https URL.
  public static func read(_ values: PropertyValues, _ property: String) throws(ConfigurationFailure) -> String {
    do throws(URLText.Problem) {
      var text = try URLText(values.text(property)).text
      while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
      return text
    } catch {
      throw ConfigurationFailure(property, "property \"\(property)\" must be an absolute http or https URL: \(error)")
    }
  }
}
