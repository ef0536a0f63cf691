//! Access lists: files for this user alone.
#![expect(unsafe_code, reason = "the system's interface for access lists")]

use super::names;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr;
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo, SDDL_REVISION_1,
    SE_FILE_OBJECT, SE_KERNEL_OBJECT, SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    DACL_SECURITY_INFORMATION, EqualSid, GetSecurityDescriptorDacl, GetTokenInformation,
    OWNER_SECURITY_INFORMATION, PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID,
    SECURITY_ATTRIBUTES, TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TokenOwner, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Full access for the owner and the system, inherited by new files, and none for others.
const OWNER_ONLY: &str = "D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;SY)";

/// A security descriptor that gives access to the owner alone.
#[derive(Debug)]
pub(super) struct OwnerOnly {
    descriptor: PSECURITY_DESCRIPTOR,
}

impl OwnerOnly {
    pub(super) fn new() -> io::Result<Self> {
        let text: Vec<u16> = OWNER_ONLY.encode_utf16().chain([0]).collect();
        let mut descriptor = ptr::null_mut();
        // Safety: the text ends with a zero; the descriptor is written on success, and freed when this value is dropped.
        let made = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor,
                ptr::null_mut(),
            )
        };
        if made == 0 { Err(io::Error::last_os_error()) } else { Ok(Self { descriptor }) }
    }

    /// Returns the attributes for creating a file or pipe. Valid while this value lives.
    pub(super) fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or_default(),
            lpSecurityDescriptor: self.descriptor,
            bInheritHandle: 0,
        }
    }

    /// Replaces the access list of a file or directory.
    pub(super) fn apply(&self, path: &Path) -> io::Result<()> {
        let mut list = ptr::null_mut();
        let (mut has_list, mut is_default) = (0, 0);
        // Safety: the descriptor lives as long as `self`; the list points into it.
        let found = unsafe {
            GetSecurityDescriptorDacl(
                self.descriptor,
                &raw mut has_list,
                &raw mut list,
                &raw mut is_default,
            )
        };
        if found == 0 {
            return Err(io::Error::last_os_error());
        }
        let mut wide: Vec<u16> =
            names::verbatim(path).as_os_str().encode_wide().chain([0]).collect();
        // Safety: the path ends with a zero, and the list is valid until `self` is dropped.
        let code = unsafe {
            SetNamedSecurityInfoW(
                wide.as_mut_ptr(),
                SE_FILE_OBJECT,
                DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                ptr::null_mut(),
                ptr::null_mut(),
                list,
                ptr::null(),
            )
        };
        match code {
            ERROR_SUCCESS => Ok(()),
            code => Err(io::Error::from_raw_os_error(code.cast_signed())),
        }
    }
}

impl Drop for OwnerOnly {
    fn drop(&mut self) {
        // Safety: the descriptor was allocated by the call in `new`, and nothing uses it any more.
        unsafe { LocalFree(self.descriptor) };
    }
}

/// Returns true if a pipe or file belongs to this user, or to the group that owns what this user creates: administrators' objects belong to
/// their group.
///
/// # Errors
/// The owner cannot be read.
pub(super) fn is_own(object: BorrowedHandle<'_>) -> io::Result<bool> {
    let mut owner = ptr::null_mut();
    let mut descriptor = ptr::null_mut();
    // Safety: the handle is open, and both pointers are written on success.
    let code = unsafe {
        GetSecurityInfo(
            object.as_raw_handle(),
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    if code != ERROR_SUCCESS {
        return Err(io::Error::from_raw_os_error(code.cast_signed()));
    }
    // Dropping it frees the descriptor, into which the owner points.
    let _descriptor = OwnerOnly { descriptor };
    let token = own_token()?;
    let is_same = |class: TOKEN_INFORMATION_CLASS| {
        let information = token_information(&token, class)?;
        let Some(&identifier) = information.first() else { return Ok(false) };
        // Safety: both classes begin with a pointer to an identifier, which lies in the same buffer; the owner lives until the end.
        Ok::<bool, io::Error>(unsafe { EqualSid(identifier as PSID, owner) } != 0)
    };
    Ok(is_same(TokenUser)? || is_same(TokenOwner)?)
}

fn own_token() -> io::Result<OwnedHandle> {
    let mut token = ptr::null_mut();
    // Safety: the handle of this process needs no closing, and the token is written on success.
    let opened = unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) };
    if opened == 0 {
        return Err(io::Error::last_os_error());
    }
    // Safety: the token was opened just now, and nothing else owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(token) })
}

/// Returns a token's information, which contains pointers into itself and is therefore boxed.
fn token_information(
    token: &OwnedHandle,
    class: TOKEN_INFORMATION_CLASS,
) -> io::Result<Box<[usize; 64]>> {
    // An identifier has at most 68 bytes.
    let mut information = Box::new([0_usize; 64]);
    let room = u32::try_from(size_of_val(&*information)).unwrap_or_default();
    let mut length = 0;
    // Safety: the buffer is as long as stated.
    let found = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            class,
            information.as_mut_ptr().cast(),
            room,
            &raw mut length,
        )
    };
    if found == 0 { Err(io::Error::last_os_error()) } else { Ok(information) }
}
