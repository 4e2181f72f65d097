internal import CShims

/// Variables of the process's environment.
public enum Environment {
  /// nil for what is not set; for all in a program that has more rights than its caller, who must not steer it.
  public static func value(_ name: String) -> String? { shim_environment(name).map { String(cString: $0) } }
}
