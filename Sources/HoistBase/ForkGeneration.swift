internal import CShims

/// How many forks lie between this process and the one that loaded the library.
///
/// What owns a thread, a socket or a database connection keeps the generation it was made
/// in; when the current one differs, it is an inheritance that must be left alone and replaced.
public enum ForkGeneration {
  public static var current: UInt32 { shim_fork_generation() }
}
