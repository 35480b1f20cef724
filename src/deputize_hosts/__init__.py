"""Three small real applications that embed Deputize."""
